import type { Fields } from './check-fields.ts'

/**
 * Replace fields of an object in their places, and return the very object where none differs; `undefined` removes one.
 *
 * @example
 * ```ts
 * import { withFields } from '@spillway/history/format'
 *
 * const message = { content: 'all of the log', role: 'tool' }
 * console.assert(JSON.stringify(withFields(message, { content: 'short' })) === '{"content":"short","role":"tool"}')
 * console.assert(withFields(message, { role: 'tool' }) === message)
 * ```
 */
export function withFields(native: Fields, fields: Fields): Fields {
  const changed = Object.entries(fields).filter(([name, value]) => native[name] !== value)
  if (changed.length === 0) return native
  const gone = new Set(changed.filter(([, value]) => value === undefined).map(([name]) => name))
  const patched = { ...native, ...Object.fromEntries(changed) }
  return gone.size === 0 ? patched : Object.fromEntries(Object.entries(patched).filter(([name]) => !gone.has(name)))
}
