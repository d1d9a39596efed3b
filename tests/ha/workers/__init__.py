"""Workers in the house: enrolled ones, the local one, and what they may do."""
