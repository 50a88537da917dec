"""Games as jobs, tournaments, ratings, and regret against perfect play."""
