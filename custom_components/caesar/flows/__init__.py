"""Steps of the config flow and of the subentries."""
