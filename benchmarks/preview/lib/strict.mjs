// Stricter scores (README, "Stricter scores"): a key counts only with its path, a symbol only with its line number.

/**
 * The key paths that a preview shows, according to its brackets: `{ "a": [{ "b": 1 }] }` shows `a` and `a/b`.
 *
 * Accepts JSON that is cut anywhere, and similar text: bare keys, keys without values (`{ id, name }`), dotted keys.
 * Text before a colon that is not a word counts as a key with any name.
 */
export function keyPaths(preview) {
  const paths = new Set()
  const stack = [] // one { key, brace } for each open bracket
  const prefix = () => stack.map(({ key }) => key).filter((key) => key !== undefined)
  let pending // the last word, if only blanks and "?" follow it
  let opener // the key of the next value
  let keyed = false // whether a word at this place is a key
  const add = (key) => {
    const path = [...prefix(), ...key]
    for (let end = prefix().length + 1; end <= path.length; end++) paths.add(path.slice(0, end).join('\u0000'))
    return key.join('\u0000')
  }
  const TOKEN = /"((?:[^"\\\n]|\\.)*)"?|([\w$][\w$.-]*)|([{}[\]:,\n])|[?\s]+|[^\s]/gu
  for (const [all, string, word, mark] of preview.matchAll(TOKEN)) {
    if (string !== undefined) pending = [unescaped(string)]
    else if (word !== undefined) pending = word.split('.').filter(Boolean)
    else if (mark === '{' || mark === '[') {
      stack.push({ key: opener, brace: mark === '{' })
      opener = undefined
      pending = undefined
      keyed = mark === '{'
    } else if (mark === '}' || mark === ']') {
      if (keyed && pending !== undefined && stack.at(-1)?.brace) add(pending)
      stack.pop()
      pending = undefined
      opener = undefined
      keyed = false
    } else if (mark === ':') {
      opener = add(pending ?? ['*'])
      pending = undefined
      keyed = false
    } else if (mark === ',' || mark === '\n') {
      if (keyed && pending !== undefined && stack.at(-1)?.brace) add(pending)
      if (mark === ',' || pending !== undefined) opener = undefined
      if (mark === ',') keyed = stack.at(-1)?.brace === true
      pending = undefined
    } else if (all.trim() !== '' && all !== '?') pending = undefined
  }
  return paths
}

const unescaped = (string) => {
  try {
    return JSON.parse(`"${string}"`)
  } catch (error) {
    // The string is cut within an escape.
    if (error instanceof SyntaxError) return string
    throw error
  }
}

/** Return the share of a document's key paths (keys from the root, `*` for any key) that a preview shows. */
export function shareInPath(preview, paths) {
  if (!paths?.length) return null
  const shown = keyPaths(preview)
  const byLength = Map.groupBy(
    [...shown].map((path) => path.split('\u0000')),
    (path) => path.length,
  )
  const matches = (path) =>
    (byLength.get(path.length) ?? []).some((other) =>
      path.every((key, index) => key === '*' || other[index] === '*' || key === other[index]),
    )
  return paths.filter((path) => shown.has(path.join('\u0000')) || matches(path)).length / paths.length
}

/** Maximum distance of a line number from its name, in characters. */
const NEAR = 40

/** Return the share of symbols next to the number of a line that defines them, on the same line of the preview. */
export function sharePlaced(preview, symbols) {
  if (!symbols?.length) return null
  const lines = preview.split('\n')
  const placed = ({ name, lines: at }) =>
    lines.some((line) => {
      for (let from = line.indexOf(name); from >= 0; from = line.indexOf(name, from + 1)) {
        const end = from + name.length
        if (/[\p{L}\p{N}_$]/u.test(line[from - 1] ?? ' ') || /[\p{L}\p{N}_$]/u.test(line[end] ?? ' ')) continue
        const before = line
          .slice(Math.max(0, from - NEAR), from)
          .match(/(?<![\w.])\d+(?![\w.]*\d)/g)
          ?.at(-1)
        const after = line.slice(end, end + NEAR).match(/(?<![\w.])\d+(?!\w)/)?.[0]
        if (at.includes(Number(before)) || at.includes(Number(after))) return true
      }
      return false
    })
  return symbols.filter(placed).length / symbols.length
}
