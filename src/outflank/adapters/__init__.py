"""Games, players and results in the forms that other libraries expect: PettingZoo, Gymnasium, OpenSpiel, and tables."""
