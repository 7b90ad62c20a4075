/** Tests that a program for Strands' plugin runs with this package if only its imports change. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { sharedS3 } from '@spillway-internal/services'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { S3Storage } from '@spillway/s3'
import { tool, type Agent } from '@strands-agents/sdk'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ContextOffloader } from '../src/index.ts'
import { fileStorage, gettingStarted, ownTools, s3Storage, thresholds, type Imports } from './documented-programs.ts'
import { referenceIn, resultsOf, retrieving, scriptedModel, textOf, type Turn } from './scripted-agent.ts'
import { isVersion10 } from './version.ts'

/** A value of about 150 KB, as in the documentation. */
const USERS = {
  users: Array.from({ length: 2_000 }, (_, id) => ({
    id,
    name: `User ${id}`,
    email: `user-${id}@example.com`,
    role: id % 1_000 === 16 ? 'admin' : 'user',
  })),
}

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'spillway-strands-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** Uses a server of this machine, because the programs leave the address to the environment. */
const s3 = await sharedS3()
const client = new S3Client(
  s3.available
    ? {
        endpoint: s3.endpoint,
        region: s3.region,
        credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
        forcePathStyle: true,
      }
    : { region: 'us-east-1' },
)
afterAll(() => client.destroy())

class LocalS3Storage extends S3Storage {
  constructor(bucket: string, options: { readonly prefix?: string }) {
    super(bucket, { ...options, client })
  }
}

const OURS: Imports = { ContextOffloader, InMemoryStorage, FileStorage, S3Storage: LocalS3Storage }

/** Version 1.0 does not have this plugin. */
const theirs = async (): Promise<Imports> => {
  const module = '@strands-agents/sdk/vended-plugins/context-offloader'
  const imports = (await import(/* @vite-ignore */ module)) as Imports
  const Theirs = imports.S3Storage as new (bucket: string, options: object) => object
  class TheirLocalS3Storage extends Theirs {
    constructor(bucket: string, options: object) {
      super(bucket, { ...options, s3Client: client })
    }
  }
  return { ...imports, S3Storage: TheirLocalS3Storage }
}
const both = [['ours', async () => OURS] as const, ...(isVersion10 ? [] : [['that of Strands', theirs] as const])]

/** Give an agent a tool and a model, which the documented programs omit, and run it. */
async function run(agent: Agent, ...turns: readonly Turn[]): Promise<string[]> {
  agent.model = scriptedModel('list_users', ...turns)
  agent.toolRegistry.add(tool({ name: 'list_users', description: 'List all users.', callback: () => USERS }))
  await agent.invoke('Who are the administrators?')
  return resultsOf(agent).map(textOf)
}

describe.each(both)('with the plugin that is %s', (_whose, imports) => {
  it.for([
    ['the first program', gettingStarted],
    ['the one with limits', thresholds],
    ['the one with files', fileStorage],
    ['the one with S3', s3Storage],
  ] as const)('%s shows a preview, and the lines that the model searches for', async ([, program], { skip }) => {
    if (program === s3Storage) {
      if (!s3.available) return skip(s3.why)
      // Creating the bucket again changes nothing.
      await client.send(new CreateBucketCommand({ Bucket: 'my-agent-artifacts' }))
    }
    const agent = program(await imports(), join(directory, program.name))
    const [result = '', answer = ''] = await run(agent, retrieving({ pattern: 'admin', context_lines: 2 }))
    expect(result).toMatch(/^\[Offloaded: 1 blocks?, ~[\d,]+ tokens\]\n/)
    expect(result).toContain('retrieve_offloaded_content')
    expect(result).toContain('line_range: { start, end }')
    expect(result).toMatch(/\[Stored references:\]\n {2}\S+ \(json, /)
    expect(answer).toMatch(/^\[2 matches(?: for \/admin\/)?\]\n/)
    expect(answer.match(/^> *\d+\| .*$/gm)).toEqual([
      expect.stringContaining('"role": "admin"'),
      expect.stringContaining('"role": "admin"'),
    ])
    expect(answer).toMatch(/^---$/m)
  })
})

it("a program without the retrieval tool names a file that the agent's tools can search", async () => {
  const agent = ownTools(OURS, join(directory, 'own tools'))
  const grep: Turn = ({ results }) => {
    const [block] = results.at(-1)?.content ?? []
    const path = /'([^']+\.json)'/.exec(block?.type === 'text' ? block.text : '')?.[1] ?? ''
    const command = `grep -c '"role": "admin"' '${path}'`
    return { toolCalls: [{ id: 'call_2', name: 'bash', input: { mode: 'execute', command } }] }
  }
  const [result = ''] = await run(agent, grep)
  expect(result).not.toContain('retrieve_offloaded_content')
  expect(referenceIn(result)).not.toBe('')
  expect(resultsOf(agent)[1]).toMatchObject({ status: 'success', content: [{ json: { output: '2' } }] })
})
