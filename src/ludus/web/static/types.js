// Types of requests and responses, named as in ludus/web/schemas.

/**
 * @typedef {{ player: string | null, level: number | null, choices: Record<string, string> }} SeatRequest
 * @typedef {{
 *   game?: string, rules?: string, position?: string, record?: string,
 *   seats?: Partial<SeatRequest>[], seed?: number, delay?: number, after?: string,
 *   continues?: string
 * }} NewGameRequest
 * @typedef {SeatRequest & { side: string, title: string, standing: string, persona: string }} SeatView
 * @typedef {{
 *   node: number, parent: number | null, mover: number | null, text: string,
 *   by: string, comment: string, mark: Mark | null
 * }} MoveView
 * @typedef {"" | "?!" | "?" | "??"} Mark
 * @typedef {"exact" | "likely" | "estimate"} Certainty
 * @typedef {{ comment: string, scores: [string, number][], pictures: string[] }} ExplanationView
 * @typedef {{ title: string, text: string, svg: string }} PictureView
 * @typedef {{ winner: number | null, reason: string, points: number }} OutcomeView
 * @typedef {number | null} Target
 * @typedef {{
 *   task: number, stage: "begin" | "go" | "take",
 *   next: Record<string, Target | Record<string, Target>>, standings: [number, number],
 *   dice_left: number[] | null
 * }} EntryStateView
 * @typedef {{
 *   moves: string[], states: EntryStateView[], texts: string[], go_task: number,
 *   stacks: Record<string, [number, number]>
 * }} EntryView
 * @typedef {[number, number, number, number, number]} Slots x, y, steps to the next, number
 * @typedef {{ slots: Record<string, Slots>, marks: Record<string, string>, men: string[] }} BoardView
 * @typedef {{
 *   revision: number, node: number, at: number, position: string, labels: Record<string, string>,
 *   entry: EntryView | null, prompt: string, told: string,
 *   status: "yours" | "thinking" | "paused" | "over" | "looking" | "trouble",
 *   mover: number, outcome: OutcomeView | null, seats: SeatView[], delay: number,
 *   thought: ExplanationView | null, stakes: StakesView | null, resignations: string[]
 * }} GameState
 * @typedef {GameState & {
 *   id: string, game: string, title: string, rules: string, has_dice: boolean, board: BoardView,
 *   svg: string, moves: MoveView[]
 * }} GameView
 * @typedef {GameView & { touched: string[], places: string[] }} ShownView
 * @typedef {[number, number, string[]]} LineChange first line, number of lines, new lines
 * @typedef {Partial<GameState> & {
 *   since: number, revision: number, svg: LineChange[], moves: MoveView[]
 * }} GameChange
 * @typedef {{
 *   cube: number | null, owner: number | null, match: number, score: [number, number],
 *   game_number: number, crawford: boolean, jacoby: boolean, can_resign: boolean
 * }} StakesView
 * @typedef {"win" | "draw" | "loss" | "equity"} Value
 * @typedef {{
 *   win: number, win_gammon: number, win_backgammon: number, lose_gammon: number,
 *   lose_backgammon: number
 * }} Chances
 * @typedef {{
 *   certainty: Certainty, source: string, points: number, value: Value | null,
 *   depth: number | null, chances: Chances | null, lookahead: string
 * }} Evaluation
 * @typedef {Evaluation & { move: string, cost: number, mark: Mark, line: string[] }} EvaluatedMove
 * @typedef {Chances & { best: string, equities: Record<string, number>, depth: string }} CubeEvaluation
 * @typedef {Evaluation & {
 *   line: string[], moves: EvaluatedMove[], cube: CubeEvaluation | null
 * }} PositionAnalysis
 * @typedef {{
 *   node: number, mover: number, analysis: PositionAnalysis | null, text: string,
 *   share: number | null, texts: string[], details: string[]
 * }} EvaluationView
 * @typedef {{
 *   exact: boolean, by: string, text: string, moves: EvaluatedMove[], texts: string[], svg: string
 * }} AdviceView
 * @typedef {{
 *   move: string, mover: number, mark: Mark, cost: number, certainty: Certainty,
 *   before: Evaluation, after: Evaluation, best: string, line: string[], reply: string[],
 *   reason: string, kind: string, counted: boolean
 * }} ReviewedMove
 * @typedef {{
 *   node: number, text: string, mover: number | null, share: number | null,
 *   evaluation: Evaluation | null, move: ReviewedMove | null, luck: number | null
 * }} ReviewPointView
 * @typedef {{
 *   moves: number, cube_decisions: number, total_error: number, move_error: number,
 *   cube_error: number, error_per_decision: number | null, luck: number,
 *   performance_rating: number | null, rating: string | null, marks: Record<string, number>,
 *   accuracy: number | null, stages: Record<string, number>
 * }} SideSummary
 * @typedef {{
 *   side: string, moves: number, marks: Record<string, number>, lost: number,
 *   cube_mistakes: number, accuracy: number | null, stages: Record<string, number>,
 *   summary: SideSummary | null
 * }} ReviewSideView
 * @typedef {{ points: ReviewPointView[], sides: ReviewSideView[] }} ReviewView
 * @typedef {{
 *   available: boolean, state: "none" | "running" | "paused" | "done" | "failed" | "too_large",
 *   why: string, done: number, minutes: number | null, gigabytes: number
 * }} SolveView
 * @typedef {{
 *   name: string, text: string, level: number | null, choices: Record<string, string>,
 *   strength: string, bar: number | null, rank: number
 * }} PersonaView
 * @typedef {{
 *   name: string, title: string, levels: number | null, choices: Record<string, string[]>,
 *   strength: string, strengths: string[], personas: PersonaView[]
 * }} OpponentView
 * @typedef {{
 *   player: string, title: string, how: string, result: string, share: number | null
 * }} LearnerView
 * @typedef {{
 *   game: string, title: string, positions: { title: string, position: string }[],
 *   learners: LearnerView[]
 * }} LearnersView
 * @typedef {{
 *   move: string, comment: string, pictures: PictureView[], evaluation: EvaluatedMove | null,
 *   text: string
 * }} ComparedChoiceView
 * @typedef {{
 *   game: string, title: string, sides: string[], presets: string[], start: string, has_puzzles: boolean
 * }} GameKindView
 * @typedef {{ title: string, sentences: string[] }} RulesView
 * @typedef {{ record: string, suffixes: string[] }} RecordView
 * @typedef {{ game: string, position: string }} ShareView
 * @typedef {{ text: string, svg: string, is_roll: boolean }} SharedFrameView
 * @typedef {{
 *   game: string, title: string, text: string, record: string, frames: SharedFrameView[]
 * }} SharedGameView
 * @typedef {{
 *   position: string, svg: string, mover: number, over: boolean, texts: Record<string, string>
 * }} PositionView
 * @typedef {{ side: number, count: number }} PlacedMen
 * @typedef {{
 *   position: string, problem: string, svg: string, labels: Record<string, string>,
 *   men: Record<string, PlacedMen>, mover: number, hands: number[], hand_title: string,
 *   dice: number[] | null, has_dice: boolean, most: number, hands_are_placed: boolean
 * }} ArrangementView
 * @typedef {{
 *   game: string, rules: string, position: string, svg: string, task: string,
 *   kind: "win" | "hold" | "best" | "ending",
 *   grade: number, plies: number | null, side: number,
 *   margin: number | null, source: string
 * }} PuzzleView
 * @typedef {{ kind: "win" | "hold" | "best" | "ending", grade: number }} PuzzleKindView
 * @typedef {{ position: string, task: string }} RulesTestTaskView
 * @typedef {{
 *   game: string, title: string, rules: string, sentences: string[], clauses: string[],
 *   examples: PictureView[], before: RulesTestTaskView[], after: RulesTestTaskView[]
 * }} RulesTestView
 * @typedef {{
 *   tournament: boolean, training: boolean, running: boolean, keeps_games: boolean
 * }} ServerFeaturesView
 * @typedef {{
 *   kind: "training" | "tournament" | "solve", title: string, began: number, done: number,
 *   total: number
 * }} RunView
 * @typedef {{
 *   player: string, games: number, wins: number, draws: number, losses: number, score: number,
 *   elo: number, elo_margin: number
 * }} StandingView
 * @typedef {{ players: [string, string], games: number, wins: [number, number], draws: number }} PairView
 * @typedef {{
 *   name: string, game: string, games: number, planned: number, players: StandingView[],
 *   pairs: PairView[]
 * }} TournamentView
 * @typedef {{ name: string, steps: number[], values: number[] }} CurveView
 */

export {};
