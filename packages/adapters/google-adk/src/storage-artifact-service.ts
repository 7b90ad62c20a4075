import type {
  ArtifactVersion,
  BaseArtifactService,
  DeleteArtifactRequest,
  ListArtifactKeysRequest,
  ListVersionsRequest,
  LoadArtifactRequest,
  SaveArtifactRequest,
} from '@google/adk'
import { scopeOf, StorageError, type Storage, type StoredInfo } from '@spillway/core'
import { encodeBase64, KeyedLock, mediaFromData } from '@spillway/core/adapter'

const VERSION = 'artifact-version'
const USER_FILE = 'user:'

/**
 * Keeps artifacts in a storage: each version of a file is an entry, with its bytes and its MIME type.
 *
 * Files of a session are in the scope `[app, user, session, 'artifacts']`, files named `user:…` in `[app, user,
 * 'user:', 'artifacts']`. Versions count from 0. If two processes save the same version at once, the later one is kept.
 * Turns do not evict files.
 *
 * Missing files load as `undefined`. Calls reject with the `StorageError` of the storage. Custom metadata may have up
 * to about 1,900 bytes.
 *
 * @throws TypeError if the storage has no `scope()`, `list()` and `delete()`.
 *
 * @example
 * ```ts
 * import { StorageArtifactService } from '@spillway/google-adk'
 * import { InMemoryStorage } from '@spillway/memory'
 *
 * const artifacts = new StorageArtifactService(new InMemoryStorage({ evictAfterTurns: null }))
 * const file = { appName: 'app', userId: 'user-1', sessionId: 'session-1', filename: 'notes.md' }
 * await artifacts.saveArtifact({ ...file, artifact: { text: 'buy milk' } })
 * const version = await artifacts.saveArtifact({ ...file, artifact: { text: 'feed the cat' } })
 * console.assert(version === 1 && (await artifacts.loadArtifact(file))?.text === 'feed the cat')
 * console.assert((await artifacts.loadArtifact({ ...file, version: 0 }))?.text === 'buy milk')
 * ```
 */
export class StorageArtifactService implements BaseArtifactService {
  readonly #storage: Storage
  readonly #lock = new KeyedLock()

  constructor(storage: Storage) {
    const { scope, list, delete: remove } = Object(storage) as Partial<Storage>
    if ([scope, list, remove].some((method) => typeof method !== 'function'))
      throw new TypeError(
        'storage must have scope(), list() and delete(), to keep the files of users and sessions apart. ' +
          'Use a backend of Spillway, such as FileStorage, or make one with createStorage().',
      )
    this.#storage = storage
  }

  async saveArtifact({ artifact, customMetadata, ...file }: SaveArtifactRequest): Promise<number> {
    const { content, contentType, metadata } = writeArtifact(artifact, customMetadata)
    return await this.#lock.run(JSON.stringify([scopeSegments(file), file.filename]), async () => {
      const last = (await this.#entries(file)).at(-1)
      const version = last === undefined ? 0 : versionOf(last) + 1
      // With the version in the key, versions with equal content are different entries.
      await this.#scope(file).store(`${file.filename}@${version}`, content, contentType, {
        metadata: { ...metadata, [VERSION]: `${version}` },
      })
      return version
    })
  }

  async loadArtifact(file: LoadArtifactRequest): Promise<SaveArtifactRequest['artifact'] | undefined> {
    const found = await this.#find(file)
    if (found === undefined) return undefined
    try {
      const { content } = await this.#scope(file).retrieve(found.reference)
      return readArtifact(content, found)
    } catch (error) {
      if (StorageError.isInstance(error) && (error.code === 'not-found' || error.code === 'evicted')) return undefined
      throw error
    }
  }

  async listArtifactKeys(session: ListArtifactKeysRequest): Promise<string[]> {
    const names = new Set<string>()
    for (const filename of ['', USER_FILE])
      for await (const info of this.#list({ ...session, filename })) names.add(nameOf(info))
    return [...names].sort()
  }

  async deleteArtifact(file: DeleteArtifactRequest): Promise<void> {
    // The newest version is deleted last, so that no older version becomes the current version.
    for (const { reference } of await this.#entries(file)) await this.#scope(file).delete?.(reference)
  }

  async listVersions(file: ListVersionsRequest): Promise<number[]> {
    return (await this.listArtifactVersions(file)).map(({ version }) => version)
  }

  async listArtifactVersions(file: ListVersionsRequest): Promise<ArtifactVersion[]> {
    const versions = new Map<number, ArtifactVersion>()
    for (const info of await this.#entries(file)) versions.set(versionOf(info), describeArtifact(versionOf(info), info))
    return [...versions.values()]
  }

  async getArtifactVersion(file: LoadArtifactRequest): Promise<ArtifactVersion | undefined> {
    const found = await this.#find(file)
    return found && describeArtifact(versionOf(found), found)
  }

  #scope(file: ListVersionsRequest): Storage {
    return scopeOf(this.#storage, scopeSegments(file))
  }

  async *#list(file: ListVersionsRequest): AsyncGenerator<StoredInfo> {
    for await (const info of this.#scope(file).list?.({ below: false }) ?? [])
      if (info.metadata[VERSION] !== undefined) yield info
  }

  /** If two entries have the same number, the later entry comes last. */
  async #entries(file: ListVersionsRequest): Promise<StoredInfo[]> {
    const entries: StoredInfo[] = []
    for await (const info of this.#list(file)) if (nameOf(info) === file.filename) entries.push(info)
    return entries.sort((a, b) => versionOf(a) - versionOf(b) || a.storedAt - b.storedAt)
  }

  async #find({ version, ...file }: LoadArtifactRequest): Promise<StoredInfo | undefined> {
    const entries = await this.#entries(file)
    return entries.findLast((info) => version === undefined || versionOf(info) === version)
  }
}

function scopeSegments({ appName, userId, sessionId, filename }: ListVersionsRequest): string[] {
  return [appName, userId, filename.startsWith(USER_FILE) ? USER_FILE : sessionId, 'artifacts']
}

const versionOf = ({ metadata }: StoredInfo): number => Number(metadata[VERSION])

const nameOf = ({ key }: StoredInfo): string => key.slice(0, key.lastIndexOf('@'))

type Artifact = SaveArtifactRequest['artifact']

function writeArtifact({ inlineData, fileData, text }: Artifact, custom: unknown) {
  const { mimeType, displayName } = inlineData ?? fileData ?? {}
  const described = {
    'artifact-type': mimeType,
    'artifact-name': displayName,
    'artifact-custom': JSON.stringify(custom),
  }
  const metadata = defined(described) as Record<string, string>
  if (inlineData !== undefined) {
    const media = mediaFromData(mimeType ?? 'application/octet-stream', inlineData.data ?? '')
    if (media?.data === undefined) throw new TypeError('artifact.inlineData.data must be Base64.')
    return { content: media.data, contentType: media.mediaType, metadata }
  }
  const form = text === undefined ? 'uri' : 'text'
  const value = text ?? fileData?.fileUri
  if (typeof value !== 'string')
    throw new TypeError('artifact must have inlineData, a text, or fileData with its fileUri.')
  const content = new TextEncoder().encode(value)
  return { content, contentType: 'text/plain', metadata: { ...metadata, 'artifact-form': form } }
}

function readArtifact(content: Uint8Array, { metadata, contentType }: StoredInfo): Artifact {
  const { 'artifact-form': form, 'artifact-type': mimeType, 'artifact-name': displayName } = metadata
  if (form === undefined)
    return {
      inlineData: { data: encodeBase64(content), mimeType: mimeType ?? contentType, ...defined({ displayName }) },
    }
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(content)
  return form === 'text' ? { text } : { fileData: { fileUri: text, ...defined({ mimeType, displayName }) } }
}

function describeArtifact(version: number, { metadata, contentType }: StoredInfo): ArtifactVersion {
  const { 'artifact-form': form, 'artifact-type': mimeType = form === 'uri' ? undefined : contentType } = metadata
  const custom = metadata['artifact-custom']
  const customMetadata = custom === undefined ? undefined : (JSON.parse(custom) as Record<string, unknown>)
  return { version, ...defined({ mimeType, customMetadata }) }
}

function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}
