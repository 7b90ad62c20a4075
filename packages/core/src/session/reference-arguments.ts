/**
 * Form in which a tool gets the content of a reference.
 *
 * - `text`: the text, which may be JSON or a table.
 * - `json`: the parsed value, an object or an array.
 * - `base64`: the bytes, as Base64.
 */
export type ArgumentForm = 'text' | 'json' | 'base64'

const FORMS: readonly unknown[] = ['text', 'json', 'base64'] satisfies ArgumentForm[]

/** Arguments of tools that may be references. */
export interface ReferenceArguments {
  /** For each tool, forms by argument path: `{ send_email: { 'files/*': 'base64' } }`. `*` stands for each item. */
  readonly tools: Readonly<Record<string, Readonly<Record<string, ArgumentForm>>>>
  /** Decide whether the tool may get this content. The call is refused if the function returns `false` or throws. */
  readonly allow?: ((call: ResolvedCall & ReferenceCall) => boolean | Promise<boolean>) | undefined
}

/** A tool call whose arguments may be references. */
export interface ReferenceCall<Input = unknown> {
  readonly toolName: string
  readonly toolCallId?: string | undefined
  /** The arguments that the model wrote. */
  readonly input: Input
  readonly signal?: AbortSignal | undefined
}

/** A tool call with the content of its references. */
export interface ResolvedCall<Input = unknown> {
  /** The arguments for the tool. The same object as `input` if `input` has no references. */
  readonly resolved: Input
  readonly references: readonly ResolvedReference[]
}

/** A reference in the arguments of a call. */
export interface ResolvedReference {
  /** Path of the argument, such as `files/0`. */
  readonly path: string
  readonly reference: string
  readonly form: ArgumentForm
  readonly contentType: string
  /** Size of the content, in bytes. */
  readonly size: number
  /** Name of the tool that returned the content. Absent if unknown. */
  readonly source?: string | undefined
}

/** A string that is a reference to stored content, or resembles one. */
export interface FoundReference {
  readonly path: readonly string[]
  readonly form: ArgumentForm
  readonly text: string
}

/** Also matches text that only resembles a reference, so that such text is refused. */
const LIKE_REFERENCE = /^\s*spill:/i

/** Returns references, and strings that resemble references, at the configured paths of a tool. */
export function findReferences(
  settings: ReferenceArguments | undefined,
  { toolName, input }: ReferenceCall,
): FoundReference[] {
  if (settings === undefined || !Object.hasOwn(settings.tools, toolName)) return []
  const found: FoundReference[] = []
  const find = (value: unknown, [name, ...rest]: readonly string[], path: readonly string[], form: ArgumentForm) => {
    if (name === undefined) {
      if (typeof value === 'string' && LIKE_REFERENCE.test(value)) found.push({ path, form, text: value })
      return
    }
    if (typeof value !== 'object' || value === null) return
    const names = name === '*' && Array.isArray(value) ? Object.keys(value) : [name]
    for (const one of names)
      if (Object.hasOwn(value, one)) find(value[one as keyof typeof value], rest, [...path, one], form)
  }
  for (const [path, form] of Object.entries(settings.tools[toolName] ?? {})) find(input, path.split('/'), [], form)
  return found
}

export function assertReferenceArguments(settings: ReferenceArguments | undefined): void {
  if (settings === undefined) return
  const { tools, allow, ...others } = Object(settings) as Partial<ReferenceArguments>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`Unknown setting resolveReferences.${unknown}. Known: tools, allow.`)
  if (typeof tools !== 'object' || tools === null)
    throw new TypeError("resolveReferences needs tools, such as { tools: { send_email: { attachment: 'base64' } } }.")
  if (allow !== undefined && typeof allow !== 'function')
    throw new TypeError(`resolveReferences.allow must be a function, got ${typeof allow}.`)
  for (const [toolName, paths] of Object.entries(tools)) {
    const where = `resolveReferences.tools[${JSON.stringify(toolName)}]`
    if (typeof paths !== 'object' || paths === null)
      throw new TypeError(`${where} must map arguments to forms, such as { attachment: 'base64' }.`)
    for (const [path, form] of Object.entries(paths)) {
      if (path.split('/').includes(''))
        throw new TypeError(
          `${where} has an empty name in the path ${JSON.stringify(path)}. Write 'files/*', without a slash in front.`,
        )
      if (!FORMS.includes(form))
        throw new TypeError(`${where}[${JSON.stringify(path)}] must be ${FORMS.join(', ')}, got ${form}.`)
    }
  }
}

/** A reference in the arguments of a call cannot be resolved, so the tool is not called. The model gets the message. */
export class ReferenceArgumentError extends Error {
  override readonly name = 'ReferenceArgumentError'

  constructor(toolName: string, path: string, problem: string, options?: ErrorOptions) {
    super(`${toolName} was not called, because of its argument ${path}: ${problem}`, options)
  }
}

/** Tells the model which arguments may be references. */
export function describeReferenceArguments({ tools }: ReferenceArguments): string {
  const names = Object.entries(tools).map(([name, paths]) => `${name} (${Object.keys(paths).join(', ')})`)
  return `To pass stored content to a tool, write "spill:<reference>" as the whole argument: ${names.join(', ')}.`
}
