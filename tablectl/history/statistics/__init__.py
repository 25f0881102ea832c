"""Statistics of a period: counts beside what was to be expected."""
