import type { ListedLine, ListingForm } from './listing-form.ts'
import { shareRead } from './listing-form.ts'

const LEAST_LINES = 12
const LONGEST_NAME = 80

/** One name on a line, such as the files of a folder or installed packages. */
export const nameListing: ListingForm = {
  name: 'names',
  group: 'group',
  item: 'name',
  onLines: false,
  mark: '',
  joint: '',
  recognize: (lines) => {
    const names = lines.filter((line) => line !== '')
    if (names.length < LEAST_LINES || shareRead(names, { read: readName }) < 0.98) return 0
    if (new Set(names).size < names.length * 0.9) return 0
    const length = names.reduce((sum, name) => sum + name.length, 0) / names.length
    // Lines of one length are encoded bytes.
    return length > 40 || names.filter((name) => !/\p{L}/u.test(name)).length > names.length * 0.2 ? 0 : 0.6
  },
  start: () => ({ read: readName }),
}

function readName(line: string): ListedLine | undefined {
  if (line === '') return {}
  return line.length <= LONGEST_NAME && /^[\p{L}\p{N}_@.~][\p{L}\p{N}_@.+~=#%,^-]*[*/@=|]?$/u.test(line)
    ? { group: '', item: line }
    : undefined
}
