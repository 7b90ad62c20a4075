import { besideLowest, type Comparison } from '../report/comparison.ts'

/** Times of one implementation, by size. */
type Times = Readonly<Record<string, { readonly med?: number; readonly first?: number }>>

const FLOOR = 'floor indent+encode+scan+sha256'
const STRANDS = 'strands ContextOffloader'
/** The size of most offloaded results. First calls are compared with this size. */
const FIRST_SIZE = '100 KB'

/** Compare warm calls of each form and size, and the first call of a process, with the floor and with Strands. */
export function compareOffload(forms: Readonly<Record<string, Readonly<Record<string, Times>>>>): Comparison[] {
  return Object.entries(forms).flatMap(([form, times]) => {
    const compare = (size: string, call: 'med' | 'first', what: string): Comparison[] => {
      const at = (name: string): number | undefined => times[name]?.[size]?.[call]
      const ours = at('ours')
      if (ours === undefined) return []
      const floor = besideLowest(ours, [{ name: 'encode, SHA-256', value: at(FLOOR) }])
      const other = besideLowest(ours, [{ name: 'Strands', value: at(STRANDS) }])
      return [{ what: `offload ${size} of ${FORMS[form] ?? form}${what}`, unit: 'ms', ours, floor, other }]
    }
    const sizes = Object.keys(times['ours'] ?? {})
    return [...sizes.flatMap((size) => compare(size, 'med', '')), ...compare(FIRST_SIZE, 'first', ', first call')]
  })
}

const FORMS: Readonly<Record<string, string>> = { text: 'ASCII text', utf8: 'other text', json: 'JSON' }
