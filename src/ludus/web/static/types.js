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
 *   by: string, comment: string, verdict: "" | "kept" | "lost", mark: Mark
 * }} MoveView
 * @typedef {"" | "?!" | "?" | "??"} Mark
 * @typedef {"exact" | "likely" | "estimate"} Certainty
 * @typedef {{ comment: string, scores: [string, number][], pictures: string[] }} ExplanationView
 * @typedef {{ title: string, text: string, svg: string }} PictureView
 * @typedef {{ winner: number | null, reason: string, points: number }} OutcomeView
 * @typedef {{
 *   id: string, revision: number, game: string, title: string, rules: string,
 *   node: number, at: number, position: string, svg: string, places: string[],
 *   labels: Record<string, string>, touched: string[], prompt: string, told: string,
 *   status: "yours" | "thinking" | "paused" | "over" | "looking" | "trouble",
 *   mover: number, outcome: OutcomeView | null, seats: SeatView[], delay: number,
 *   moves: MoveView[], thought: ExplanationView | null, has_dice: boolean,
 *   stakes: StakesView | null, resignations: string[]
 * }} GameView
 * @typedef {{
 *   cube: number | null, owner: number | null, match: number, score: [number, number],
 *   game_number: number, crawford: boolean, jacoby: boolean, can_resign: boolean
 * }} StakesView
 * @typedef {"win" | "draw" | "loss" | "equity"} Value
 * @typedef {{
 *   move: string, value: Value, depth: number | null, cost: number, equity?: number | null
 * }} RatedMoveView
 * @typedef {{
 *   node: number, known: boolean, why: string, value: Value | null, depth: number | null,
 *   equity?: number | null, mover: number, moves: RatedMoveView[]
 * }} VerdictView
 * @typedef {{
 *   move: string, certainty: Certainty, source: string, points: number, value: Value | null,
 *   depth: number | null, cost: number, mark: Mark, line: string[], text: string
 * }} EvaluatedMoveView
 * @typedef {{
 *   node: number, mover: number, known: boolean, certainty: Certainty | null, source: string,
 *   text: string, share: number | null, points: number | null, value: Value | null,
 *   depth: number | null, line: string[], moves: EvaluatedMoveView[], details: string[]
 * }} EvaluationView
 * @typedef {{ exact: boolean, by: string, text: string, moves: EvaluatedMoveView[] }} AdviceView
 * @typedef {{
 *   node: number, text: string, mover: number | null, share: number | null,
 *   depth: number | null, certainty: Certainty | null, lost: number, mark: Mark,
 *   mark_certainty: Certainty | null, best: string, line: string[], reply: string[],
 *   reason: string, kind: string, luck: number | null
 * }} ReviewPointView
 * @typedef {{
 *   side: string, moves: number, inaccuracies: number, mistakes: number, blunders: number,
 *   lost: number, cube_mistakes: number, luck: number | null,
 *   performance_rating: number | null, rating: string | null
 * }} ReviewSideView
 * @typedef {{
 *   known: boolean, why: string, points: ReviewPointView[], sides: ReviewSideView[]
 * }} ReviewView
 * @typedef {{
 *   available: boolean, state: "none" | "running" | "paused" | "done" | "failed" | "too_large",
 *   why: string, done: number, minutes: number | null, gigabytes: number
 * }} SolveView
 * @typedef {{
 *   name: string, text: string, level: number | null, choices: Record<string, string>,
 *   is_default: boolean, strength: string, bar: number | null, rank: number
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
 *   move: string, comment: string, pictures: PictureView[], certainty: Certainty | null,
 *   mark: Mark, cost: number, text: string
 * }} ComparedChoiceView
 * @typedef {{
 *   game: string, title: string, sides: string[], presets: string[], start: string, has_puzzles: boolean
 * }} GameKindView
 * @typedef {{ title: string, sentences: string[] }} RulesView
 * @typedef {{ record: string, suffixes: string[] }} RecordView
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
 *   game: string, rules: string, position: string, svg: string, kind: string, task: string,
 *   grade: number, plies: number | null, side: number
 * }} PuzzleView
 * @typedef {{ kind: string, grade: number }} PuzzleKindView
 * @typedef {{ position: string, task: string }} RulesTestTaskView
 * @typedef {{
 *   game: string, title: string, rules: string, sentences: string[], clauses: string[],
 *   examples: PictureView[], before: RulesTestTaskView[], after: RulesTestTaskView[]
 * }} RulesTestView
 * @typedef {{ tournament: boolean, training: boolean, running: boolean }} ServerFeaturesView
 * @typedef {{
 *   kind: "training" | "tournament" | "solve", title: string, began: number, done: number,
 *   total: number
 * }} RunView
 * @typedef {{ player: string, games: number, score: number, elo: number, elo_margin: number }} StandingView
 * @typedef {{ players: [string, string], games: number, wins: [number, number], draws: number }} PairView
 * @typedef {{
 *   name: string, game: string, games: number, planned: number, players: StandingView[],
 *   pairs: PairView[]
 * }} TournamentView
 * @typedef {{ name: string, steps: number[], values: number[] }} CurveView
 */

export {};
