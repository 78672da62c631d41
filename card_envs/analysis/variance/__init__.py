"""Taking luck out of results: control variates and what they rest on."""
