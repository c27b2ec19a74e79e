"""The only package that touches a machine: screens, input, windows, accessibility."""
