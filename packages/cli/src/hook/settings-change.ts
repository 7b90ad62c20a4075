import { isDeepStrictEqual } from 'node:util'
import { CliError } from '../cli-error.ts'
import { EXIT_CODE } from '../exit-code.ts'
import { addItem, memberOf, readJsonText, removeItem, type JsonItem, type JsonNode } from './json-text.ts'

/** What is added to a settings file of Claude Code: values by the path of the list or object that gets them. */
export type SettingsChange = readonly Addition[]

/** One value that a settings file gets. */
export interface Addition {
  /** Where it belongs, such as `['hooks', 'PostToolUse']`. */
  readonly path: readonly string[]
  /** The key of a member; without it the value is an item of a list. */
  readonly key?: string
  readonly value: unknown
}

/**
 * Return the text of a settings file with these additions; an empty text stands for a file that is not there.
 *
 * Throws a {@link CliError} where the text is no JSON, or where a value on the way is of another kind.
 */
export function addToSettings(text: string, change: SettingsChange, place: string): string {
  let changed = text.trim() === '' ? '{}\n' : text
  for (const { path, key, value } of change) {
    for (const depth of path.keys()) {
      const node = nodeAt(changed, path.slice(0, depth), place)
      if (node.type !== 'object') throw otherKind(path.slice(0, depth), place)
      const name = path[depth] ?? ''
      const isList = depth === path.length - 1 && key === undefined
      if (memberOf(node, name) === undefined) changed = addItem(changed, node, isList ? [] : {}, name)
    }
    const node = nodeAt(changed, path, place)
    if (node.type !== (key === undefined ? 'array' : 'object')) throw otherKind(path, place)
    if (!holds(changed, node, { key, value })) changed = addItem(changed, node, value, key)
  }
  return changed
}

/**
 * Return the text without these additions, and without the lists and objects that are empty then, but for those that were
 * there `before` as well.
 */
export function removeFromSettings(text: string, change: SettingsChange, before: string, place: string): string {
  let changed = text
  for (const addition of change.toReversed()) {
    const { path } = addition
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const node = findNode(changed, path.slice(0, depth), place)
      if (node === undefined) continue
      const name = path[depth]
      const item =
        name === undefined
          ? node.items.find(({ key, value }) => isAddition(changed, key, value, addition))
          : node.items.find(({ key, value }) => key === name && value.items.length === 0 && value.type !== 'scalar')
      if (item === undefined || (name !== undefined && isIn(before, path.slice(0, depth + 1), place))) break
      changed = removeItem(changed, node, item)
    }
  }
  return changed
}

/** Return the values of a list in a settings file; none where there is no such list. */
export function listInSettings(text: string, path: readonly string[], place: string): readonly unknown[] {
  const node = text.trim() === '' ? undefined : findNode(text, path, place)
  return node?.type === 'array' ? node.items.map(({ value }) => valueOf(text, value)) : []
}

/** Return a member of an object in a settings file; `undefined` where there is none. */
export function memberInSettings(text: string, path: readonly string[], place: string): unknown {
  const node = text.trim() === '' ? undefined : findNode(text, path, place)
  return node === undefined ? undefined : valueOf(text, node)
}

function isIn(text: string, path: readonly string[], place: string): boolean {
  return memberInSettings(text, path, place) !== undefined
}

function holds(
  text: string,
  node: JsonNode,
  { key, value }: Pick<Addition, 'value'> & { readonly key?: string | undefined },
): boolean {
  return key === undefined
    ? node.items.some((item) => isDeepStrictEqual(valueOf(text, item.value), value))
    : memberOf(node, key) !== undefined
}

function isAddition(text: string, key: string | undefined, node: JsonNode, addition: Addition): boolean {
  return key === addition.key && isDeepStrictEqual(valueOf(text, node), addition.value)
}

function valueOf(text: string, { start, end }: JsonNode): unknown {
  return JSON.parse(text.slice(start, end)) as unknown
}

/** Return the value at a path that is there. */
function nodeAt(text: string, path: readonly string[], place: string): JsonNode {
  const node = findNode(text, path, place)
  if (node === undefined || node.type === 'scalar') throw otherKind(path, place)
  return node
}

function findNode(text: string, path: readonly string[], place: string): JsonNode | undefined {
  let node: JsonNode | undefined = readSettings(text, place)
  for (const name of path) {
    const same: readonly JsonItem[] = node?.items.filter(({ key }) => key === name) ?? []
    if (same.length > 1) throw refusal(place, `has ${path.join('.')} more than once: leave one of them`)
    node = same[0]?.value
  }
  return node
}

function readSettings(text: string, place: string): JsonNode {
  const start = text.startsWith('\uFEFF') ? 1 : 0
  let settings: unknown
  try {
    settings = JSON.parse(text.slice(start))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const why = /\/\/|\/\*|,\s*[}\]]/.test(text) ? ' Comments and commas behind the last value must go first.' : ''
    throw refusal(place, `is no JSON (${error.message}), and was left as it is.${why} Mend it by hand`)
  }
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw refusal(place, 'holds no JSON object, and was left as it is. Mend it by hand')
  return readJsonText(start === 0 ? text : ` ${text.slice(start)}`)
}

function otherKind(path: readonly string[], place: string): CliError {
  return refusal(place, `has something else than Claude Code expects at ${path.join('.')}: mend it by hand`)
}

function refusal(place: string, what: string): CliError {
  return new CliError('settings-refused', EXIT_CODE.storage, `${place} ${what}.`)
}
