const MAX_LENGTH = 80

/**
 * Make a name that whoever made the content has chosen safe to show: on one line, without brackets, and at most `maxLength`
 * characters. A longer name loses its middle, as paths and URIs differ at their ends.
 */
export function safeName(name: string, maxLength: number = MAX_LENGTH): string {
  const line = clean(name)
  if (line.length <= maxLength) return line
  const half = Math.floor((maxLength - 1) / 2)
  return clean(`${line.slice(0, half)}…${line.slice(-half)}`)
}

const clean = (name: string): string => name.replace(/[\p{C}\p{Z}[\]]+/gu, ' ').trim()
