/** Append the requested number of events of one tool to a journal. */
import { FileJournal } from '../../src/index.ts'

const [directory = '', tool = '', count = '1', maxBytes = '1'] = process.argv.slice(2)
const journal = new FileJournal(directory, { maxBytes: Number(maxBytes) })
const tokens = { original: 1, replacement: 0 }
for (let index = 0; index < Number(count); index += 1) {
  // Append some events at the same time, and others one by one.
  const appended = journal.append({
    type: 'offload',
    time: index,
    scope: '',
    tool,
    references: ['r'.repeat(60)],
    tokens,
  })
  if (index % 3 === 0) await appended
}
await journal.close()
