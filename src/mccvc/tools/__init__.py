"""Tools for people: questions to the rows, power, citations."""
