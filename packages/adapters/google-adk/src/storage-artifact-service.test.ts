import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  FileArtifactService,
  FunctionTool,
  InMemoryArtifactService,
  LOAD_ARTIFACTS,
  type BaseArtifactService,
  type Context,
  type SaveArtifactRequest,
} from '@google/adk'
import { StorageError, type Storage } from '@spillway/core'
import { encodeBase64 } from '@spillway/core/adapter'
import { FileStorage } from '@spillway/file'
import { InMemoryStorage } from '@spillway/memory'
import { describe, expect, it } from 'vitest'
import { agentOf, calling, chatWith, newOffloader, scriptedModel } from '../test/run-agent.ts'
import { offloadPlugin } from './offload-plugin.ts'
import { StorageArtifactService } from './storage-artifact-service.ts'

type Artifact = SaveArtifactRequest['artifact']

const SESSION = { appName: 'app', userId: 'user', sessionId: 'session' }
const PNG: Artifact = {
  inlineData: { mimeType: 'image/png', data: encodeBase64(new Uint8Array([137, 80, 78, 71, 0])) },
}

const newStorage = (): InMemoryStorage => new InMemoryStorage({ evictAfterTurns: null })
const newService = (): StorageArtifactService => new StorageArtifactService(newStorage())

describe.each<[name: string, make: (directory: string) => BaseArtifactService]>([
  ['StorageArtifactService', newService],
  ['StorageArtifactService over files', (directory) => new StorageArtifactService(new FileStorage(directory))],
  // ADK's own services, as a reference. A difference is a mistake in this package.
  ['InMemoryArtifactService', () => new InMemoryArtifactService()],
  ['FileArtifactService', (directory) => new FileArtifactService(directory)],
])('%s', (_name, make) => {
  const using = async (work: (service: BaseArtifactService) => Promise<void>): Promise<void> => {
    const directory = await mkdtemp(join(tmpdir(), 'spillway-artifacts-'))
    try {
      await work(make(directory))
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  }

  it('counts versions of each file from 0, and loads any of them, or the latest', async () => {
    await using(async (service) => {
      const file = { ...SESSION, filename: 'notes.md' }
      const texts = ['one', 'two', 'two', ...Array.from({ length: 9 }, (_, index) => `text ${index}`)]
      for (const [index, text] of texts.entries())
        expect(await service.saveArtifact({ ...file, artifact: { text } })).toBe(index)
      expect(await service.saveArtifact({ ...file, filename: 'other.md', artifact: { text: 'other' } })).toBe(0)
      expect(await service.loadArtifact(file)).toEqual({ text: 'text 8' })
      expect(await service.loadArtifact({ ...file, version: 0 })).toEqual({ text: 'one' })
      expect(await service.loadArtifact({ ...file, version: 2 })).toEqual({ text: 'two' })
      expect(await service.loadArtifact({ ...file, version: 12 })).toBeUndefined()
      expect(await service.listVersions(file)).toEqual(texts.map((_, index) => index))
      expect((await service.listArtifactVersions(file)).map(({ version }) => version)).toHaveLength(texts.length)
      expect((await service.getArtifactVersion({ ...file, version: 3 }))?.version).toBe(3)
      expect((await service.getArtifactVersion(file))?.version).toBe(11)
    })
  })

  it('returns nothing for missing files', async () => {
    await using(async (service) => {
      const file = { ...SESSION, filename: 'none.md' }
      expect(await service.loadArtifact(file)).toBeUndefined()
      expect(await service.listArtifactKeys(SESSION)).toEqual([])
      expect(await service.listVersions(file)).toEqual([])
      expect(await service.listArtifactVersions(file)).toEqual([])
      expect(await service.getArtifactVersion(file)).toBeUndefined()
      await service.deleteArtifact(file)
    })
  })

  it("shares the user's files among sessions, and keeps other files in their session", async () => {
    await using(async (service) => {
      const artifact = { text: 'mine' }
      await service.saveArtifact({ ...SESSION, filename: 'user:profile.md', artifact })
      await service.saveArtifact({ ...SESSION, filename: 'notes.md', artifact })
      expect(await service.listArtifactKeys(SESSION)).toEqual(['notes.md', 'user:profile.md'])
      const later = { ...SESSION, sessionId: 'later' }
      expect(await service.listArtifactKeys(later)).toEqual(['user:profile.md'])
      expect(await service.loadArtifact({ ...later, filename: 'user:profile.md' })).toEqual(artifact)
      expect(await service.loadArtifact({ ...later, filename: 'notes.md' })).toBeUndefined()
      expect(await service.saveArtifact({ ...later, filename: 'user:profile.md', artifact })).toBe(1)
      expect(await service.listArtifactKeys({ ...SESSION, userId: 'other' })).toEqual([])
    })
  })

  it('deletes all versions of a file, and counts from 0 again', async () => {
    await using(async (service) => {
      const file = { ...SESSION, filename: 'notes.md' }
      for (const text of ['one', 'two']) await service.saveArtifact({ ...file, artifact: { text } })
      await service.saveArtifact({ ...SESSION, filename: 'other.md', artifact: PNG })
      await service.deleteArtifact(file)
      expect(await service.loadArtifact(file)).toBeUndefined()
      expect(await service.listArtifactKeys(SESSION)).toEqual(['other.md'])
      expect(await service.saveArtifact({ ...file, artifact: { text: 'three' } })).toBe(0)
    })
  })

  it.each<[what: string, artifact: Artifact]>([
    ['bytes', PNG],
    ['text', { text: 'буря\r\n👩‍👩‍👧' }],
    ['bytes that are text', { inlineData: { mimeType: 'text/plain', data: encodeBase64(new Uint8Array([104, 105])) } }],
    ['an address', { fileData: { mimeType: 'video/mp4', fileUri: 'gs://bucket/a.mp4' } }],
  ])('loads %s as saved', async (_what, artifact) => {
    await using(async (service) => {
      await service.saveArtifact({ ...SESSION, filename: 'file', artifact })
      expect(await service.loadArtifact({ ...SESSION, filename: 'file' })).toEqual(artifact)
    })
  })

  it('rejects a value that is not an artifact', async () => {
    await using(async (service) => {
      for (const artifact of [{}, { functionCall: { name: 'a' } }])
        await expect(service.saveArtifact({ ...SESSION, filename: 'file', artifact })).rejects.toThrow(/must have/)
      expect(await service.listArtifactKeys(SESSION)).toEqual([])
    })
  })
})

it.each<[what: string, artifact: Artifact]>([
  ['a display name', { inlineData: { ...PNG.inlineData, displayName: 'Ein Bild, grün' } }],
  ['an address without a type', { fileData: { fileUri: 'https://example.com/a', displayName: 'a' } }],
  ['an empty text', { text: '' }],
  ['empty bytes', { inlineData: { mimeType: 'application/pdf', data: '' } }],
  ['an invalid type', { inlineData: { mimeType: 'png', data: 'aGk=' } }],
  ['a text with a byte order mark', { text: '\uFEFFa' }],
])('the artifact service loads %s as saved', async (_what, artifact) => {
  const service = newService()
  await service.saveArtifact({ ...SESSION, filename: 'file', artifact })
  expect(await service.loadArtifact({ ...SESSION, filename: 'file' })).toEqual(artifact)
})

it('the artifact service gives bytes without a type the default type', async () => {
  const service = newService()
  await service.saveArtifact({ ...SESSION, filename: 'file', artifact: { inlineData: { data: 'aGk=' } } })
  const inlineData = { mimeType: 'application/octet-stream', data: 'aGk=' }
  expect(await service.loadArtifact({ ...SESSION, filename: 'file' })).toEqual({ inlineData })
})

it('the artifact service rejects bytes that are not Base64', async () => {
  const artifact = { inlineData: { mimeType: 'image/png', data: 'not base64!' } }
  await expect(newService().saveArtifact({ ...SESSION, filename: 'a.png', artifact })).rejects.toThrow(TypeError)
})

it('the artifact service describes each version with its custom metadata', async () => {
  const service = newService()
  const file = { ...SESSION, filename: 'chart' }
  const customMetadata = { source: 'draw', size: [1, 2], note: 'grün' }
  await service.saveArtifact({ ...file, artifact: PNG, customMetadata })
  await service.saveArtifact({ ...file, artifact: { text: 'a chart' } })
  await service.saveArtifact({ ...file, artifact: { fileData: { fileUri: 'gs://a/b' } } })
  expect(await service.listArtifactVersions(file)).toEqual([
    { version: 0, mimeType: 'image/png', customMetadata },
    { version: 1, mimeType: 'text/plain' },
    { version: 2 },
  ])
  expect(await service.getArtifactVersion({ ...file, version: 0 })).toMatchObject({ mimeType: 'image/png' })
  const tooLong = { ...file, artifact: PNG, customMetadata: { note: 'x'.repeat(3_000) } }
  await expect(service.saveArtifact(tooLong)).rejects.toThrow(/metadata may have at most/)
})

it.each(['../../etc/passwd', '/absolute', 'a@1', '@', '', '__proto__', 'a/b/c.txt', '👩‍👩‍👧\u0000"', 'x'.repeat(1_000)])(
  'the artifact service accepts the file name %j',
  async (filename) => {
    const storage = newStorage()
    const service = new StorageArtifactService(storage)
    for (const text of ['one', 'two']) await service.saveArtifact({ ...SESSION, filename, artifact: { text } })
    await service.saveArtifact({ ...SESSION, filename: `${filename}@0`, artifact: { text: 'other' } })
    expect(await service.loadArtifact({ ...SESSION, filename })).toEqual({ text: 'two' })
    expect(await service.listArtifactKeys(SESSION)).toEqual([filename, `${filename}@0`].sort())
    await service.deleteArtifact({ ...SESSION, filename })
    expect(await service.listArtifactKeys(SESSION)).toEqual([`${filename}@0`])
  },
)

it('the artifact service numbers thirty versions saved in parallel from any session of the user', async () => {
  const service = newService()
  const saved = await Promise.all(
    Array.from({ length: 30 }, async (_, index) =>
      service.saveArtifact({
        ...SESSION,
        sessionId: `session-${index}`,
        filename: 'user:log',
        artifact: { text: `${index}` },
      }),
    ),
  )
  expect(saved.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index))
})

it('the artifact service loads the later of two versions that two processes saved under the same number', async () => {
  const storage = newStorage()
  const file = { ...SESSION, filename: 'notes.md' }
  const services = [1, 2].map(() => new StorageArtifactService(storage))
  await Promise.all(services.map(async (one, index) => one.saveArtifact({ ...file, artifact: { text: `${index}` } })))
  const [service] = services
  expect(await service?.listVersions(file)).toEqual([0])
  expect(await service?.loadArtifact(file)).toEqual({ text: expect.stringMatching(/^[01]$/) })
  expect(await service?.saveArtifact({ ...file, artifact: { text: 'next' } })).toBe(1)
  await service?.deleteArtifact(file)
  expect(await service?.loadArtifact(file)).toBeUndefined()
})

it('the artifact service isolates files from results, deletes them with the session, and never evicts them because of turns', async () => {
  const storage = new InMemoryStorage({ evictAfterTurns: 1 })
  const service = new StorageArtifactService(storage)
  for (const filename of ['notes.md', 'user:profile.md'])
    await service.saveArtifact({ ...SESSION, filename, artifact: { text: 'milk' } })
  const session = newOffloader({ storage }).forScope('app', 'user', 'session')
  for (let turn = 0; turn < 5; turn += 1) await session.endTurn()
  const found = await session.retrievalTool.execute({ pattern: 'milk' })
  expect(found).toMatchObject({ content: [{ text: expect.stringContaining('in 0 of 0 stored results') }] })
  expect(await service.listArtifactKeys(SESSION)).toEqual(['notes.md', 'user:profile.md'])
  await storage.scope('app', 'user', 'session').clear()
  expect(await service.listArtifactKeys(SESSION)).toEqual(['user:profile.md'])
})

it('the artifact service ignores other entries in its scope', async () => {
  const storage = newStorage()
  await storage.scope('app', 'user', 'session', 'artifacts').store('notes.md@0', new Uint8Array(3))
  expect(await new StorageArtifactService(storage).listArtifactKeys(SESSION)).toEqual([])
})

it('the artifact service reports content as missing if it was removed after listing, and rejects in an outage', async () => {
  const codes = ['not-found', 'evicted', 'unavailable'] as const
  for (const code of codes) {
    const storage = newStorage()
    await new StorageArtifactService(storage).saveArtifact({ ...SESSION, filename: 'a', artifact: { text: 'a' } })
    const retrieve = async (): Promise<never> => {
      throw new StorageError(code, 'It is not there.')
    }
    const failing = (inner: Required<Pick<Storage, 'scope' | 'list'>>): Storage => ({
      store: async () => 'a',
      retrieve,
      scope: (...segments) => failing(inner.scope(...segments) as typeof inner),
      list: (...given) => inner.list(...given),
      delete: async () => {},
    })
    const loaded = new StorageArtifactService(failing(storage)).loadArtifact({ ...SESSION, filename: 'a' })
    if (code === 'unavailable') await expect(loaded).rejects.toMatchObject({ code })
    else expect(await loaded).toBeUndefined()
  }
})

it.each([undefined, {}, { store: async () => '', retrieve: async () => ({}), list: () => [] }])(
  'the artifact service refuses a storage that cannot separate files: %o',
  (storage) => {
    expect(() => new StorageArtifactService(storage as never)).toThrow(/scope\(\), list\(\) and delete\(\)/)
  },
)

it("the artifact service supports ADK's own tools, and a tool that saves an artifact", async () => {
  const artifactService = newService()
  const save = new FunctionTool({
    name: 'draw',
    description: 'Draw a chart.',
    execute: async (_input: unknown, context?: Context) => {
      const version = await context?.saveArtifact('chart.png', PNG)
      return { version }
    },
  })
  const model = scriptedModel(calling('draw'), calling('load_artifacts', { artifact_names: ['chart.png'] }, 'call_2'))
  const agent = agentOf({ model, tools: [save, LOAD_ARTIFACTS] })
  const chat = await chatWith(agent, [offloadPlugin(newOffloader())], { artifactService })
  const events = await chat.say()
  expect(events.flatMap(({ actions }) => Object.entries(actions.artifactDelta))).toEqual([['chart.png', 0]])
  const contents = JSON.parse(model.prompts[2]?.messages ?? '[]') as unknown[]
  expect(contents.at(-1)).toEqual({ role: 'user', parts: [{ text: 'Artifact chart.png is:' }, PNG] })
  await chat.say([{ inlineData: { ...PNG.inlineData, displayName: 'upload.png' } }], {
    saveInputBlobsAsArtifacts: true,
  })
  expect(await artifactService.listArtifactKeys(SESSION)).toEqual(['chart.png', 'upload.png'])
})
