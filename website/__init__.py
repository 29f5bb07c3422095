"""The static site: the book, the lessons and the kit itself in a browser, with no server (`make site`)."""
