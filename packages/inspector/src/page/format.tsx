import type { VNode } from 'preact'

const counts = new Intl.NumberFormat('en')
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

export const formatCount = (count: number | undefined): string => (count === undefined ? '–' : counts.format(count))

export const formatShare = (share: number): string => `${Math.round(100 * share)} %`

export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  for (; value >= 1_000 && unit < UNITS.length - 1; unit++) value /= 1_000
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** Format a time as `2026-01-31 23:59:59`, in the time zone of the browser. */
export function formatTime(time: number | string | undefined): string {
  if (time === undefined) return '–'
  const date = new Date(time)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19).replace('T', ' ')
}

/** The text in place of an answer: that it is awaited, or its error. */
export const Waiting = ({ error = '' }: { readonly error?: string | undefined }): VNode =>
  error === '' ? <p>Reading…</p> : <p role="alert">{error}</p>

interface TableProps {
  readonly columns: readonly string[]
  /** Cells are texts, counts, or shares from 0 to 1. */
  readonly rows: readonly (readonly (string | number | { readonly share: number })[])[]
  /** Whether the first cell of each row is a heading. */
  readonly hasRowHeadings?: boolean
}

export function Table({ columns, rows, hasRowHeadings = false }: TableProps): VNode {
  return (
    <table>
      <thead>
        <tr>
          {columns.map((title, index) => (
            <th key={index} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((cells, row) => (
          <tr key={row}>
            {cells.map((cell, index) => {
              if (typeof cell === 'object') return <td class="number">{formatShare(cell.share)}</td>
              if (typeof cell === 'number') return <td class="number">{formatCount(cell)}</td>
              return hasRowHeadings && index === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
