import { frameTokens, shareBudget } from './measure-content.ts'
import { assertBoolean, assertKnownOptions, shown } from '../storage/storage-input.ts'

const DEFAULT_MAX_RESULT_TOKENS = 2_500
const DEFAULT_PREVIEW_TOKENS = 1_000

/** A number of tokens, or a share of `contextWindow` from 0 to 1, between `min` and `max` tokens. */
export type TokenLimit =
  | number
  | { readonly share: number; readonly min?: number | undefined; readonly max?: number | undefined }

/** Settings for the results of one tool, which override the settings of the offloader. */
export interface ToolSettings<Limit = TokenLimit> {
  readonly maxResultTokens?: Limit | undefined
  readonly previewTokens?: Limit | undefined
  readonly maxInlineTokens?: Limit | undefined
  /** `false` keeps results whole, unless they are over `maxInlineTokens`, which then defaults to no limit. */
  readonly offload?: boolean | undefined
}

/** Options for the sizes of results and previews, in tokens. */
export interface LimitOptions<Limit = TokenLimit> extends Omit<ToolSettings<Limit>, 'offload'> {
  readonly contextWindow?: number | undefined
  readonly maxRetrievalTokens?: Limit | undefined
  readonly maxTurnTokens?: Limit | undefined
  readonly tools?: Readonly<Record<string, ToolSettings<Limit>>> | undefined
}

/** Limits in tokens, with their defaults. */
export interface ResolvedLimits extends ResultLimits {
  readonly contextWindow: number | undefined
  readonly maxRetrievalTokens: number
  readonly maxTurnTokens: number
  readonly tools: Readonly<Record<string, ToolSettings<number>>>
}

/** Limits of one result in tokens, with the settings of its tool applied. */
export interface ResultLimits {
  readonly maxResultTokens: number
  readonly previewTokens: number
  readonly maxInlineTokens: number
}

/** Least default of `maxRetrievalTokens`. A smaller answer has no room for lines and the next call. */
const MIN_ANSWER_TOKENS = 200

/** Converts shares of the window to tokens, and checks all limits. */
export function resolveLimits(options: LimitOptions): ResolvedLimits {
  const { contextWindow, tools = {} } = options
  if (contextWindow !== undefined && !(Number.isFinite(contextWindow) && contextWindow > 0))
    throw new TypeError(`contextWindow must be a positive number of tokens, got ${shown(contextWindow)}.`)
  if (typeof tools !== 'object' || tools === null || Array.isArray(tools))
    throw new TypeError(`tools must be an object of settings by tool name, got ${shown(tools)}.`)
  const tokens = (name: string, limit: TokenLimit | undefined): number | undefined => {
    if (typeof limit === 'object' && limit !== null) return tokensOfShare(name, limit, contextWindow)
    if (limit === undefined || typeof limit === 'number') return limit
    throw new TypeError(`${name} must be a number of tokens, got ${shown(limit)}.`)
  }
  const maxResultTokens = tokens('maxResultTokens', options.maxResultTokens) ?? DEFAULT_MAX_RESULT_TOKENS
  const limits = {
    maxResultTokens,
    previewTokens: tokens('previewTokens', options.previewTokens) ?? defaultPreview(maxResultTokens),
    maxInlineTokens: tokens('maxInlineTokens', options.maxInlineTokens) ?? Infinity,
  }
  assertLimits(limits, '')
  const answerTokens = Math.max(maxResultTokens, MIN_ANSWER_TOKENS)
  const maxRetrievalTokens = tokens('maxRetrievalTokens', options.maxRetrievalTokens) ?? answerTokens
  const maxTurnTokens = tokens('maxTurnTokens', options.maxTurnTokens) ?? Infinity
  for (const [name, limit] of Object.entries({ maxRetrievalTokens, maxTurnTokens }))
    if (!(limit > 0))
      throw new TypeError(`${name} must be a positive number of tokens or Infinity, got ${shown(limit)}.`)
  const resolved = Object.entries(tools).map(([pattern, settings]) => {
    const where = `tools[${JSON.stringify(pattern)}].`
    const own = resolveTool(settings, where, tokens)
    assertLimits(merge(own, limits), where)
    return [pattern, own] as const
  })
  return { ...limits, contextWindow, maxRetrievalTokens, maxTurnTokens, tools: Object.fromEntries(resolved) }
}

const TOOL_SETTINGS: readonly string[] = ['maxResultTokens', 'previewTokens', 'maxInlineTokens', 'offload']

function resolveTool(
  settings: ToolSettings,
  where: string,
  tokens: (name: string, limit: TokenLimit | undefined) => number | undefined,
): ToolSettings<number> {
  if (typeof settings !== 'object' || settings === null)
    throw new TypeError(`${where.slice(0, -1)} must be an object of settings, got ${shown(settings)}.`)
  for (const name of Object.keys(settings))
    if (!TOOL_SETTINGS.includes(name))
      throw new TypeError(`Unknown setting ${where}${name}. Known: ${TOOL_SETTINGS.join(', ')}.`)
  const { offload } = settings
  if (offload !== undefined) assertBoolean(`${where}offload`, offload)
  return {
    maxResultTokens: tokens(`${where}maxResultTokens`, settings.maxResultTokens),
    previewTokens: tokens(`${where}previewTokens`, settings.previewTokens),
    maxInlineTokens: tokens(`${where}maxInlineTokens`, settings.maxInlineTokens),
    offload,
  }
}

function tokensOfShare(name: string, limit: Exclude<TokenLimit, number>, window: number | undefined): number {
  assertKnownOptions(limit, ['share', 'min', 'max'], name)
  const { share, min = 0, max = Infinity } = limit
  const areNumbers = [share, min, max].every((value) => typeof value === 'number')
  if (!(areNumbers && share > 0 && share <= 1 && min <= max))
    throw new TypeError(`${name} must be a number, or have a share above 0 and up to 1, and no min above its max.`)
  if (window === undefined)
    throw new TypeError(`${name} is a share of the context window, which is unknown. Set contextWindow, in tokens.`)
  return Math.min(max, Math.max(min, Math.floor(share * window)))
}

const defaultPreview = (maxResultTokens: number): number =>
  Math.min(DEFAULT_PREVIEW_TOKENS, Math.floor(maxResultTokens * 0.4))

function assertLimits({ maxResultTokens, previewTokens, maxInlineTokens }: ResultLimits, where: string): void {
  if (!(Number.isFinite(maxResultTokens) && maxResultTokens > 0))
    throw new TypeError(`${where}maxResultTokens must be a positive number of tokens, got ${shown(maxResultTokens)}.`)
  if (!(Number.isFinite(previewTokens) && previewTokens >= 0))
    throw new TypeError(`${where}previewTokens must be a number of tokens, 0 or more, got ${shown(previewTokens)}.`)
  if (previewTokens >= maxResultTokens)
    throw new TypeError(
      `${where}previewTokens (${previewTokens}) must be less than maxResultTokens (${maxResultTokens}). Lower previewTokens or raise maxResultTokens.`,
    )
  if (!(maxInlineTokens >= maxResultTokens))
    throw new TypeError(
      `${where}maxInlineTokens must be a number of tokens, at least maxResultTokens (${maxResultTokens}), or Infinity; got ${shown(maxInlineTokens)}.`,
    )
}

function merge(own: ToolSettings<number>, base: ResultLimits): ResultLimits {
  const { maxResultTokens = base.maxResultTokens } = own
  const inherited = own.maxResultTokens === undefined ? base.previewTokens : defaultPreview(maxResultTokens)
  return {
    maxResultTokens,
    previewTokens: own.previewTokens ?? Math.min(base.previewTokens, inherited),
    maxInlineTokens: own.maxInlineTokens ?? Math.max(base.maxInlineTokens, maxResultTokens),
  }
}

export interface ToolLimits extends ResultLimits {
  /** Whether only results over `maxInlineTokens` are offloaded. `maxResultTokens` is then the same number. */
  readonly isExempt: boolean
  /** Whether the tool has its own `previewTokens`. */
  readonly hasOwnPreview: boolean
}

/** Finds the settings of a tool by its exact name, or by the longest matching pattern. */
export function limitsOf(limits: ResolvedLimits, toolName: string): ToolLimits {
  const own = settingsOf(limits.tools, toolName)
  if (own === undefined) return { ...limits, isExempt: false, hasOwnPreview: false }
  const merged = merge(own, limits)
  const isExempt = own.offload === false
  return {
    ...merged,
    ...(isExempt && { maxResultTokens: merged.maxInlineTokens }),
    isExempt,
    hasOwnPreview: own.previewTokens !== undefined,
  }
}

function settingsOf(tools: ResolvedLimits['tools'], toolName: string): ToolSettings<number> | undefined {
  // Hosts prefix the names of MCP tools, as in `mcp__github__list_issues`.
  const bareName = toolName.slice(toolName.lastIndexOf('__') + 1).replace(/^_/, '')
  for (const name of [toolName, bareName]) {
    if (Object.hasOwn(tools, name)) return tools[name]
    const patterns = Object.keys(tools).filter((pattern) => pattern.includes('*') && matchesGlob(pattern, name))
    const [longest] = patterns.sort((a, b) => b.length - a.length)
    if (longest !== undefined) return tools[longest]
  }
  return undefined
}

/** Matches a pattern in linear time, because each `*` matches as little as possible. */
function matchesGlob(pattern: string, name: string): boolean {
  const [start = '', ...rest] = pattern.split('*')
  const end = rest.pop() ?? ''
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false
  let at = start.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= name.length - end.length
}

/** Tokens of a replacement without a preview. Each result gets at least this number, even over the turn's budget. */
const FLOOR_TOKENS = frameTokens(1)

export const withinTurn = <Limits extends ResultLimits>(limits: Limits, tokens: number): Limits =>
  tokens >= limits.maxResultTokens
    ? limits
    : {
        ...limits,
        maxResultTokens: tokens,
        previewTokens: Math.min(limits.previewTokens, Math.max(0, tokens - FLOOR_TOKENS)),
      }

/** An equal share of a turn's budget, for results that arrive one by one. */
export const evenShare = (budget: number, calls: number): number => Math.max(FLOOR_TOKENS, Math.floor(budget / calls))

export interface TurnResult {
  readonly tokens: number
  readonly limits: ResultLimits
  readonly isError: boolean
  /** Whether the result cannot be reduced. The tokens of such a result are subtracted from the budget. */
  readonly isFixed: boolean
}

/**
 * Divides a turn's budget. A small result is not reduced if it fits an equal share of the remaining budget. Errors have
 * priority.
 *
 * Returns the tokens for each result. `Infinity` means that only the result's own limits apply.
 */
export function divideTurn(results: readonly TurnResult[], budget: number): number[] {
  const wanted = results.map(({ tokens, limits, isFixed }) =>
    isFixed || tokens <= limits.maxResultTokens ? tokens : Math.min(tokens, limits.previewTokens + FLOOR_TOKENS),
  )
  const shares = results.map(() => Infinity)
  if (sum(wanted) <= budget) return shares
  const open = [...results.keys()].filter((index) => results[index]?.isFixed === false)
  let left = budget - sum(wanted.filter((_, index) => results[index]?.isFixed))
  const [errors, others] = [true, false].map((isError) => open.filter((index) => results[index]?.isError === isError))
  for (const [group = [], reserved] of [
    [errors, (others?.length ?? 0) * FLOOR_TOKENS],
    [others, 0],
  ] as const) {
    const needs = group.map((index) => wanted[index] ?? 0)
    const given = shareBudget(needs, Math.max(0, left - reserved))
    for (const [position, index] of group.entries()) {
      const share = given[position] ?? 0
      if (share < (needs[position] ?? 0)) shares[index] = Math.max(FLOOR_TOKENS, share)
    }
    left -= sum(given)
  }
  return shares
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Waits until all results of a turn are counted, then divides the budget among them. */
export class TurnBudget {
  readonly #budget: number
  readonly #results: (TurnResult | undefined)[]
  readonly #pending: Set<number>
  readonly #counted = Promise.withResolvers<readonly number[]>()

  constructor(budget: number, calls: number) {
    this.#budget = budget
    this.#results = Array.from({ length: calls })
    this.#pending = new Set(this.#results.keys())
  }

  /** Returns the tokens for a result. A second result of the same call gets an equal share without waiting. */
  async share(index: number, result: TurnResult): Promise<number> {
    if (!this.#pending.has(index)) return evenShare(this.#budget, this.#results.length)
    this.#results[index] = result
    this.leave(index)
    return (await this.#counted.promise)[index] ?? Infinity
  }

  /** Stops waiting for a call. The call may have ended without a result. */
  leave(index: number): void {
    if (!this.#pending.delete(index) || this.#pending.size > 0) return
    const counted = this.#results.flatMap((result, at) => (result === undefined ? [] : [{ result, at }]))
    const shares = divideTurn(
      counted.map(({ result }) => result),
      this.#budget,
    )
    const ofCall: number[] = []
    for (const [position, { at }] of counted.entries()) ofCall[at] = shares[position] ?? Infinity
    this.#counted.resolve(ofCall)
  }
}
