import { closeSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fakeAgent, strands } from '../../speed/lib.mjs'
import { CONTEXT_LINES, type Answer, type Place, type Subject } from './subject.ts'

const REFERENCE = 'call_1_0'
const NAMESPACE = 'offloader'
const CONTENT_TYPE = 'text/plain'
/** Bytes that Strands' offloader writes before content: length of the content type in two bytes, and content type. */
const FRAME = Buffer.from([0, CONTENT_TYPE.length, ...Buffer.from(CONTENT_TYPE)])
const COPY_BYTES = 4 << 20

interface RetrievalTool {
  invoke(input: object, context: object): Promise<string>
}

/** Write content like the offloader of Strands, in one step for any size. */
export function storeForStrands({ file, directory }: Place): void {
  const to = join(directory, NAMESPACE, REFERENCE)
  mkdirSync(dirname(to), { recursive: true })
  const source = openSync(file, 'r')
  const target = openSync(to, 'w')
  const bytes = Buffer.allocUnsafe(COPY_BYTES)
  writeSync(target, FRAME)
  for (let read = 0; (read = readSync(source, bytes, 0, COPY_BYTES, null)) > 0;) writeSync(target, bytes, 0, read)
  closeSync(source)
  closeSync(target)
}

/** The retrieval tool of Strands, with its storage in files or in memory. */
export async function strandsSubject(kind: 'file' | 'memory', { file, directory }: Place): Promise<Subject> {
  const parts = await strands()
  const storage = kind === 'file' ? new parts.LocalFileStorage(directory) : new parts.InMemoryStorage()
  const offloader = new parts.ContextOffloader({ storage })
  const { agent } = fakeAgent(parts)
  offloader.initAgent(agent)
  const [tool] = offloader.getTools() as readonly [RetrievalTool]
  if (kind === 'memory') {
    const { buffer, byteOffset, length } = Buffer.concat([FRAME, readFileSync(file)])
    // The offloader also passes a plain Uint8Array. The storage would not copy a Buffer.
    await storage.namespace(NAMESPACE).write(REFERENCE, new Uint8Array(buffer, byteOffset, length))
  }
  return {
    search: async ({ pattern, ignoreCase }): Promise<Answer> => {
      const asked = ignoreCase === true ? `(?i:${pattern})` : pattern
      const text = await tool.invoke({ reference: REFERENCE, pattern: asked, context_lines: CONTEXT_LINES }, { agent })
      const count = /^\[(\d+) match/.exec(text)?.[1]
      return { matches: text.startsWith('No matches') ? 0 : count === undefined ? undefined : Number(count), text }
    },
    lines: (start, end) => tool.invoke({ reference: REFERENCE, line_range: { start, end } }, { agent }),
  }
}
