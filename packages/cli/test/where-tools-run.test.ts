import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContextOffloader, type Location } from '@spillway/core'
import { FileStorage } from '@spillway/file'
import { expect, onTestFinished, test } from 'vitest'

const hasNamespaces = spawnSync('unshare', ['-rm', 'true']).status === 0
const LOG = Array.from({ length: 3_000 }, (_, line) => `line ${line + 1} of the log`).join('\n')

test.skipIf(!hasNamespaces)('the command in a preview works if tools see the directory at another path', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'spillway-tools-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const showLocation = ({ address }: Location): Location => {
    const path = address.replace(directory, '/mnt')
    return { address: path, command: `cat '${path}'` }
  }
  const storage = new FileStorage(directory)
  const offloader = new ContextOffloader({ storage, includeRetrievalTool: false, showLocation })
  const request = { toolName: 'read_log', toolCallId: 'call_1', content: [{ type: 'text', text: LOG } as const] }
  const [block] = (await offloader.forScope('a').offload(request)).content
  const command = / 3,000 lines\): (cat .*)$/.exec(block?.type === 'text' ? block.text : '')?.[1] ?? 'false'
  // This acts like a container: it has its own root, and the directory is mounted at /mnt.
  const inContainer = ['-rm', 'sh', '-c', 'mount --bind "$1" /mnt && exec sh -c "$2"', 'sh', directory, command]
  expect(execFileSync('unshare', inContainer, { encoding: 'utf8' })).toBe(LOG)
  expect(spawnSync('sh', ['-c', command]).status).not.toBe(0)
})
