/** What the arguments of a tool call tell of what the agent is after. */
export interface ToolIntent {
  /** Files and folders that the call names, as they are written there. */
  readonly paths: readonly string[]
  /** The lines that it asks for, 1-based and inclusive; without an end, from there on. */
  readonly lines?: { readonly start: number; readonly end?: number | undefined } | undefined
  /** Words, names and patterns that it looks for, the most telling first. */
  readonly words: readonly string[]
  /** The command that a shell runs. */
  readonly command?: string | undefined
  /** The address that is fetched. */
  readonly url?: string | undefined
}

/** Longest argument that is looked at, in UTF-16 units. */
const MAX_ARGUMENT = 4_096

/** Read the arguments of a tool call, whatever their names and shape: unknown ones tell nothing. */
export function toolIntent(toolName: string, input: unknown): ToolIntent {
  const named = new Map<string, unknown>()
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    for (const [name, value] of Object.entries(input)) named.set(name.toLowerCase().replace(/[^a-z]/g, ''), value)
  const text = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = named.get(name)
      if (typeof value === 'string' && value !== '') return value.slice(0, MAX_ARGUMENT)
    }
    return undefined
  }
  const path = text('path', 'filepath', 'file', 'filename', 'absolutepath', 'relativepath')
  const words = text('query', 'pattern', 'symbol', 'search', 'regex', 'name')
  return {
    paths: path === undefined ? [] : [path],
    words: words === undefined ? [] : [words],
    command:
      text('command', 'cmd', 'script') ??
      (/^(?:bash|shell|sh)$/i.test(toolName) && typeof input === 'string' ? input : undefined),
    url: text('url', 'uri', 'href'),
  }
}
