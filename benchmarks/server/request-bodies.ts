/** Sizes of the bodies that clients send, and their frequencies in percent. */
export const SIZES: readonly { readonly bytes: number; readonly share: number }[] = [
  { bytes: 20_000, share: 40 },
  { bytes: 100_000, share: 35 },
  { bytes: 500_000, share: 20 },
  { bytes: 5_000_000, share: 5 },
]

/** Share of each result in the size of a body. */
const SHARES = [0.5, 0.2, 0.15, 0.1, 0.05]

/** Number of results in a history. */
export const RESULTS: number = SHARES.length

/** Placeholder for the number of the request in a body, so that all bodies differ. */
export const MARK = 'n0000000000'

/** Create the body of a request that offloads a history of about this many bytes. Half of it is one result. */
export function historyBody(bytes: number): Buffer {
  const line = (number: number): string =>
    `2026-08-23 12:00:00 INFO worker-${number % 16} handled request ${number} ${MARK}\n`
  const text = (size: number): string => {
    const lines: string[] = []
    for (let length = 0; length < size; length += lines.at(-1)!.length) lines.push(line(lines.length))
    return lines.join('')
  }
  const messages: object[] = [
    { role: 'system', content: 'You are a helpful assistant' },
    { role: 'user', content: 'What went wrong?' },
  ]
  for (const [index, share] of SHARES.entries()) {
    const id = `call_${index}_${MARK}`
    messages.push(
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id, type: 'function', function: { name: 'read_log', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: text(bytes * share) },
    )
  }
  messages.push({ role: 'assistant', content: 'Nothing yet.' }, { role: 'user', content: 'Look again.' })
  const request = { messages, context_manage_mode: 'compact', max_total_tokens: 2_000, max_tool_message_tokens: 500 }
  return Buffer.from(JSON.stringify({ ...request, store_dir: '/workspace/load', include_write_file_dict: false }))
}

/** Return a name with the number of a request instead of the placeholder. */
export const nameOf = (name: string, number: number): string => numbered(Buffer.from(name), number).toString()

/** Copy a body, and replace all placeholders by a number. */
export function numbered(body: Buffer, number: number): Buffer {
  const copy = Buffer.from(body)
  const digits = Buffer.from(`n${String(number).padStart(MARK.length - 1, '0')}`)
  for (let at = copy.indexOf(MARK); at >= 0; at = copy.indexOf(MARK, at + MARK.length)) digits.copy(copy, at)
  return copy
}
