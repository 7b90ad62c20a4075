/** Edits a JSON text in place: what is not changed keeps every byte, so that a diff shows the change alone. */

/** A value in a JSON text, and where it stands. */
export interface JsonNode {
  readonly type: 'object' | 'array' | 'scalar'
  readonly start: number
  /** Behind its last character. */
  readonly end: number
  /** Members of an object with their keys, items of an array without. */
  readonly items: readonly JsonItem[]
}

/** A member of an object, or an item of an array. */
export interface JsonItem {
  readonly key: string | undefined
  /** Where it begins, with its key. */
  readonly start: number
  readonly value: JsonNode
}

const TOKEN = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|([^\s{}[\],:"]+))/y

/** Read a text that `JSON.parse` takes. */
export function readJsonText(text: string): JsonNode {
  let at = 0
  const next = (): { readonly text: string; readonly start: number } => {
    TOKEN.lastIndex = at
    const match = TOKEN.exec(text)
    if (match === null) throw new SyntaxError(`The text is no JSON at character ${at}.`)
    at = TOKEN.lastIndex
    const token = match[1] ?? match[2] ?? match[3] ?? ''
    return { text: token, start: at - token.length }
  }
  const readValue = (token = next()): JsonNode => {
    if (token.text !== '{' && token.text !== '[') return { type: 'scalar', start: token.start, end: at, items: [] }
    const isObject = token.text === '{'
    const items: JsonItem[] = []
    for (let one = next(); one.text !== '}' && one.text !== ']'; one = next()) {
      if (one.text === ',') continue
      const key = isObject ? (JSON.parse(one.text) as string) : undefined
      if (isObject) next()
      items.push({ key, start: one.start, value: readValue(isObject ? undefined : one) })
    }
    return { type: isObject ? 'object' : 'array', start: token.start, end: at, items }
  }
  return readValue()
}

/** Return the member of an object by its key; `undefined` where there is none, or this is no object. */
export function memberOf(node: JsonNode | undefined, key: string): JsonNode | undefined {
  return node?.items.find((item) => item.key === key)?.value
}

/** Add a member or an item behind all others, indented as they are. */
export function addItem(text: string, node: JsonNode, value: unknown, key?: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const unit = /^[^\S\n]*[{[]\r?\n([ \t]+)"/.exec(text)?.[1] ?? '  '
  const outer = indentAt(text, node.start)
  const [first] = node.items
  const last = node.items.at(-1)
  const isSpread = first === undefined ? isSpreadText(text) : text.slice(node.start, first.start).includes('\n')
  const inner = first === undefined || !isSpread ? outer + unit : indentAt(text, first.start)
  const json = isSpread ? JSON.stringify(value, undefined, unit) : JSON.stringify(value)
  const member = (key === undefined ? '' : `${JSON.stringify(key)}:${isSpread ? ' ' : ''}`) + json
  const lines = member.replaceAll('\n', eol + inner)
  if (last === undefined) {
    const [open = '', close = ''] = node.type === 'object' ? '{}' : '[]'
    const whole = isSpread ? open + eol + inner + lines + eol + outer + close : open + lines + close
    return text.slice(0, node.start) + whole + text.slice(node.end)
  }
  const { end } = last.value
  return `${text.slice(0, end)},${isSpread ? eol + inner : ' '}${lines}${text.slice(end)}`
}

/** Take out one member or item, with the comma that parts it from the others. */
export function removeItem(text: string, node: JsonNode, item: JsonItem): string {
  const index = node.items.indexOf(item)
  const before = node.items[index - 1]
  const after = node.items[index + 1]
  if (before !== undefined) return text.slice(0, before.value.end) + text.slice(item.value.end)
  if (after !== undefined) return text.slice(0, item.start) + text.slice(after.start)
  return text.slice(0, node.start + 1) + text.slice(node.end - 1)
}

/** A text of one line stays one. */
function isSpreadText(text: string): boolean {
  return text.trim().includes('\n') || text.trim() === '{}'
}

/** The blanks at the beginning of the line of a place. */
function indentAt(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}
