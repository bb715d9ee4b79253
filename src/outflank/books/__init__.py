"""Opening books: their files, building them by searches or from games, merging them, and showing them as trees."""
