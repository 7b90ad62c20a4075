/** What a line before the changes of a file says. */
export type DiffHeader =
  /** The first line of a file: `diff --git`, `diff -u`, `Index:`. */
  | { readonly kind: 'file'; readonly path: string }
  /** `--- path` and `+++ path`. */
  | { readonly kind: 'old' | 'new'; readonly path: string }
  /** A line that changes nothing in the content, and what it says in a word or two. */
  | { readonly kind: 'note'; readonly note: string }

/** Read a line that stands outside of hunks; `undefined` where it does not belong to the header of a file. */
export function diffHeader(line: string): DiffHeader | undefined {
  switch (line.charCodeAt(0)) {
    case 45: // -
      return line.startsWith('--- ') ? { kind: 'old', path: pathOf(line.slice(4)) } : undefined
    case 43: // +
      return line.startsWith('+++ ') ? { kind: 'new', path: pathOf(line.slice(4)) } : undefined
    case 100: // d
      if (line.startsWith('diff ')) return diffLine(line)
      return line.startsWith('deleted file mode ') ? { kind: 'note', note: 'deleted' } : undefined
    case 73: // I
      return line.startsWith('Index: ') ? { kind: 'file', path: line.slice(7).trim() } : undefined
    case 61: // =
      return /^={60,80}$/.test(line.slice(0, 81)) ? { kind: 'note', note: '' } : undefined
    case 110: // n
      if (line.startsWith('new file mode ')) return { kind: 'note', note: 'new' }
      return line.startsWith('new mode ') ? { kind: 'note', note: `mode ${line.slice(9, 20)}` } : undefined
    case 111: // o
      return line.startsWith('old mode ') ? { kind: 'note', note: '' } : undefined
    case 114: // r
      if (line.startsWith('rename from ')) return { kind: 'note', note: `renamed from ${line.slice(12, 500).trim()}` }
      return line.startsWith('rename to ') ? { kind: 'new', path: line.slice(10).trim() } : undefined
    case 99: // c
      if (line.startsWith('copy from ')) return { kind: 'note', note: `copied from ${line.slice(10, 500).trim()}` }
      return line.startsWith('copy to ') ? { kind: 'new', path: line.slice(8).trim() } : undefined
    case 105: // i
      return line.startsWith('index ') ? { kind: 'note', note: '' } : undefined
    case 115: // s
      return line.startsWith('similarity index ') ? { kind: 'note', note: '' } : undefined
    case 66: // B
      return line.startsWith('Binary files ') || line.startsWith('Binary file ')
        ? { kind: 'note', note: 'binary' }
        : undefined
    case 71: // G
      return line.startsWith('GIT binary patch') ? { kind: 'note', note: 'binary' } : undefined
    default:
      return undefined
  }
}

/** The header of a file as `diff` itself, git, Mercurial and others write it. */
function diffLine(line: string): DiffHeader | undefined {
  const combined = /^diff --(?:cc|combined) (.+)$/.exec(line)
  if (combined !== null) return { kind: 'file', path: pathOf(combined[1]!) }
  if (line.startsWith('diff --git ')) {
    const rest = line.slice(11)
    // `a/path b/path`: the same path twice, so the blank between them stands in the middle, whatever blanks the path has.
    const half = (rest.length - 1) / 2
    const one = pathOf(rest.slice(0, half))
    if (rest.charAt(half) === ' ' && one === pathOf(rest.slice(half + 1))) return { kind: 'file', path: one }
    const at = rest.lastIndexOf(' b/')
    return { kind: 'file', path: at < 0 ? rest : pathOf(rest.slice(at + 1)) }
  }
  return /^diff (?:-\S+ )+\S/.test(line.slice(0, 300)) ? { kind: 'file', path: pathOf(lastWord(line)) } : undefined
}

/** A path without the time after it and without the letter that git and Mercurial put before it. */
function pathOf(written: string): string {
  const tab = written.indexOf('\t')
  let path = (tab < 0 ? written : written.slice(0, tab)).trim()
  if (path.length > 2 && path.startsWith('"') && path.endsWith('"')) path = path.slice(1, -1)
  // GNU diff without tabs: `path 2024-05-17 10:21:00.000000000 +0000`.
  const time = / \d{4}-\d\d-\d\d \d\d:/.exec(path.slice(-60))
  if (time !== null) path = path.slice(0, path.length - Math.min(60, path.length) + time.index)
  return /^[abciow]\//.test(path) ? path.slice(2) : path
}

function lastWord(line: string): string {
  return line.slice(line.lastIndexOf(' ') + 1)
}
