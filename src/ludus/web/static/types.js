// Types of requests and responses; the reference is /api/openapi.json.

/**
 * @typedef {{ player: string | null, level: number | null, choices: Record<string, string> }} Seat
 * @typedef {Seat & { side: string, title: string, standing: string }} SeatView
 * @typedef {"" | "kept" | "lost"} MoveVerdict
 * @typedef {{
 *   node: number, parent: number | null, mover: number | null, text: string,
 *   by: string, comment: string, verdict: MoveVerdict
 * }} MoveView
 * @typedef {{ comment: string, scores: [string, number][], pictures: string[] }} Thought
 * @typedef {{ title: string, text: string, svg: string }} SeenPicture
 * @typedef {{ winner: number | null, reason: string, points: number }} Ending
 * @typedef {{
 *   id: string, revision: number, game: string, title: string, rules: string,
 *   node: number, at: number, position: string, svg: string, places: string[],
 *   labels: Record<string, string>, touched: string[], prompt: string, told: string,
 *   status: "yours" | "thinking" | "paused" | "over" | "looking" | "trouble",
 *   mover: number, outcome: Ending | null, seats: SeatView[], delay: number,
 *   moves: MoveView[], thought: Thought | null
 * }} View
 * @typedef {"win" | "draw" | "loss"} Value
 * @typedef {{ move: string, value: Value, depth: number | null, cost: number }} RatedMove
 * @typedef {{
 *   node: number, known: boolean, why: string, value: Value | null, depth: number | null,
 *   mover: number, moves: RatedMove[]
 * }} Verdict
 * @typedef {{
 *   move: string, value?: Value, depth?: number | null, cost?: number, score?: number | null
 * }} AdvisedMove
 * @typedef {{ exact: boolean, by: string, text: string, moves: AdvisedMove[] }} Advice
 * @typedef {{
 *   node: number, text: string, mover: number | null, share: number | null,
 *   depth: number | null, lost: number
 * }} ReviewPoint
 * @typedef {{ known: boolean, why: string, points: ReviewPoint[] }} Review
 * @typedef {{
 *   name: string, title: string, levels: number | null, choices: Record<string, string[]>,
 *   strength: string, strengths: string[]
 * }} Opponent
 * @typedef {{
 *   game: string, title: string, sides: string[], presets: string[], start: string
 * }} Kind
 * @typedef {{
 *   position: string, svg: string, mover: number, over: boolean, texts: Record<string, string>
 * }} PositionView
 * @typedef {{ side: number, count: number }} Man
 * @typedef {{
 *   position: string, problem: string, svg: string, labels: Record<string, string>,
 *   men: Record<string, Man>, mover: number, hands: number[], hand_title: string,
 *   dice: number[] | null, has_dice: boolean, most: number
 * }} Arrangement
 * @typedef {{
 *   game: string, rules: string, position: string, svg: string, kind: string, task: string,
 *   grade: number, plies: number | null, side: number
 * }} Puzzle
 * @typedef {{
 *   game?: string, rules?: string, position?: string, record?: string,
 *   seats?: Partial<Seat>[], seed?: number, delay?: number, after?: string
 * }} NewGame
 */

export {};
