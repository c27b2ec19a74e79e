"""Measurements: tables for people, and one line of JSON. A bench never fails on a figure."""
