"""Reports of played scenarios: page, JUnit, timeline."""
