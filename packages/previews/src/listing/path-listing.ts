import type { ListedLine, ListingForm } from './listing-form.ts'
import { shareRead } from './listing-form.ts'

const LEAST_LINES = 6
const LONGEST_PATH = 4_096

/** One path on a line, as `find`, `git ls-files` and `rg --files` print them. */
export const pathListing: ListingForm = {
  name: 'paths',
  group: 'folder',
  item: 'path',
  onLines: false,
  mark: '/',
  joint: '/',
  recognize: (lines) => {
    const paths = lines.filter((line) => line !== '')
    if (paths.length < LEAST_LINES || shareRead(paths, { read: readPath }) < 0.97) return 0
    if (paths.filter((line) => /[/\\]/.test(line)).length < paths.length * 0.6) return 0
    if (paths.filter((line) => / /.test(line)).length > paths.length * 0.1) return 0
    // An environment has paths too, with names before them.
    if (paths.filter((line) => /^\w+=/.test(line)).length > paths.length * 0.1) return 0
    // Lists with further fields, and encoded bytes: their lines are of one length and begin each in another way.
    if (paths.filter((line) => line.includes(',')).length > paths.length * 0.5) return 0
    if (new Set(paths.map(firstFolder)).size > Math.max(LEAST_LINES, paths.length * 0.5)) return 0
    return new Set(paths).size < paths.length * 0.9 ? 0 : 0.85
  },
  start: () => ({ read: readKnown }),
}

function firstFolder(path: string): string {
  return /^(?:\.{0,2}\/)*[^/]*/.exec(path)?.[0] ?? ''
}

/** Read a line of a text that is known for paths. */
function readKnown(line: string): ListedLine | undefined {
  if (line === '') return {}
  if (line.length > LONGEST_PATH || line.includes(': ') || line.includes('\t') || line.startsWith(' ')) return undefined
  return split(line)
}

function readPath(line: string): ListedLine | undefined {
  if (line === '') return {}
  if (
    line.length > LONGEST_PATH ||
    !/^[^\s"'`()<>{}[\]|;:=*?,][^\t"`<>|;*?]*$/.test(line) ||
    /: | {2}|:\/\//.test(line)
  )
    return undefined
  return split(line)
}

function split(line: string): ListedLine {
  const path = line.endsWith('/') && line.length > 1 ? line.slice(0, -1) : line
  const end = path.lastIndexOf('/')
  return { group: end < 0 ? '' : path.slice(0, Math.max(end, 1)), item: line.slice(end + 1) }
}
