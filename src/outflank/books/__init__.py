"""Opening books: their files, building, learning from games, merging, and views of them as trees."""
