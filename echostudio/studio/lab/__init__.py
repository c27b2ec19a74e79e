"""The Lab page: any step against any picture; why re-aim decides as it does, and what other thresholds would do."""
