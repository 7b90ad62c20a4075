import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PEERS, peerFile } from '../../speed/lib.mjs'
import { CONTEXT_LINES, MAX_CHARS, type Place, type Subject } from './subject.ts'

const LINE_FEED = 10
const MODULE = 're2/node_modules/re2/re2.js'
const BINARY = 're2/node_modules/re2/build/Release/re2.node'

/** Whether native RE2 was compiled. */
export const hasNativeRe2 = (): boolean => existsSync(join(PEERS, BINARY))

/** Native RE2 on bytes: linear time, and only shown lines are decoded. */
export async function nativeRe2({ file }: Place): Promise<Subject> {
  const { default: RE2 } = (await peerFile(MODULE)) as {
    default: new (pattern: string, flags: string) => { lastIndex: number; test(bytes: Buffer): boolean }
  }
  const bytes = readFileSync(file)
  return {
    search: ({ pattern, ignoreCase }) => {
      const expression = new RE2(pattern, ignoreCase === true ? 'gim' : 'gm')
      let matches = 0
      let text = ''
      while (expression.test(bytes)) {
        matches++
        const end = expression.lastIndex
        const lineFeed = bytes.indexOf(LINE_FEED, end)
        if (text.length < MAX_CHARS) text += showAround(bytes, end)
        if (lineFeed < 0) break
        expression.lastIndex = lineFeed + 1
      }
      return { matches, text }
    },
  }
}

function showAround(bytes: Buffer, at: number): string {
  let start = at
  let end = at
  for (let line = 0; line <= CONTEXT_LINES; line++) {
    start = start < 1 ? -1 : bytes.lastIndexOf(LINE_FEED, start - 1)
    const next = bytes.indexOf(LINE_FEED, end + 1)
    end = next < 0 ? bytes.length : next
  }
  return bytes.toString('utf8', Math.max(0, start + 1, at - MAX_CHARS), Math.min(end, at + MAX_CHARS))
}
