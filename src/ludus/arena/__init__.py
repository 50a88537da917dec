"""Where players meet: games as jobs, tournaments, ratings, and regret against perfect play."""
