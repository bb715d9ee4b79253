"""Opening books: what they hold, how they are built, learnt from games and merged, and how they are seen as trees."""
