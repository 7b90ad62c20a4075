import { StorageError, type ManagedStorage } from '@spillway/core/driver'
import { describeError } from './describe-error.ts'
import type { LoadedEntries, LoadedEntry } from './loaded-entries.ts'
import { isSoakContent, sizedKey, soakChunks, soakContent } from './soak-content.ts'
import type { SoakScope } from './soak-scopes.ts'
import { withinLimit } from './time-limit.ts'

const SHARED_KEYS = 50
const MAX_OWN = 15
const LARGE_BYTES = 2_000_000

/** Identity of a client, and the state shared by all clients of its process. */
export interface LoadClientOptions {
  readonly name: string
  readonly tenant: string
  readonly session: string
  readonly instances: readonly ManagedStorage[]
  /** References of both tenants to entries that are not deleted. */
  readonly entries: LoadedEntries
  readonly random: () => number
  readonly limitMs: number
  readonly count: (operation: string) => void
}

/** A client of a tenant: runs operations one after another, in a session with other clients, and checks the results. */
export class LoadClient {
  readonly #options: LoadClientOptions
  /** The instance with which the client stores and deletes. */
  readonly #home: ManagedStorage
  readonly #own: LoadedEntry[] = []
  #counter = 0

  constructor(options: LoadClientOptions) {
    this.#options = options
    this.#home = this.#anyInstance()
  }

  /** Run a random operation. Rejects if the result is wrong. */
  async step(): Promise<void> {
    await this.#check(...this.#choose())
  }

  /** Check that all entries that the client has stored and not deleted still exist. */
  async finish(): Promise<void> {
    for (const entry of this.#own) await this.#check('retrieve', () => this.#retrieve(entry))
  }

  async #check(name: string, action: () => Promise<void>): Promise<void> {
    try {
      await withinLimit(name, this.#options.limitMs, action())
    } catch (error) {
      throw new Error(`${this.#options.name} ${name}: ${describeError(error)}`, { cause: error })
    }
    this.#options.count(name)
  }

  #choose(): [string, () => Promise<void>] {
    const chance = this.#options.random()
    if (chance < 0.14) return ['store', () => this.#storeOwn()]
    if (chance < 0.24) return ['store again', () => this.#storeShared()]
    if (chance < 0.28) return ['storeStream', () => this.#storeStream()]
    if (chance < 0.46) return ['retrieve', () => this.#retrieve(this.#anyEntry())]
    if (chance < 0.58) return ['retrieveRange', () => this.#retrieveRange(this.#anyEntry())]
    if (chance < 0.66) return ['open', () => this.#open(this.#anyEntry())]
    if (chance < 0.72) return ['stat', () => this.#stat(this.#anyEntry())]
    if (chance < 0.82) return ['foreign', () => this.#probe()]
    if (chance < 0.9) return ['delete', () => this.#delete()]
    if (chance < 0.94) return ['list', () => this.#list()]
    if (chance < 0.98) return ['endTurn', async () => void (await this.#home.scope(...this.#path).endTurn())]
    return ['gc', async () => void (await this.#home.scope(this.#options.tenant).gc())]
  }

  get #path(): readonly [string, string] {
    return [this.#options.tenant, this.#options.session]
  }

  #anyInstance(): ManagedStorage {
    const { instances, random } = this.#options
    return instances[Math.floor(random() * instances.length)]!
  }

  /** Return a scope of any instance, because all instances have the same entries. */
  #scopeOf(entry: LoadedEntry): SoakScope {
    return this.#anyInstance().scope(...entry.scope)
  }

  #anyEntry(): LoadedEntry | undefined {
    const { entries, tenant, random } = this.#options
    const own = this.#own[Math.floor(random() * this.#own.length)]
    return random() < 0.5 && own !== undefined ? own : entries.any(tenant, random)
  }

  async #storeOwn(): Promise<void> {
    if (this.#own.length >= MAX_OWN) return await this.#delete()
    const key = `${this.#options.tenant} ${this.#options.name} ${(this.#counter += 1)}`
    const { content, contentType } = soakContent(key)
    const reference = await this.#home.scope(...this.#path).store(key, content, contentType)
    this.#own.push({ scope: this.#path, reference, key })
  }

  async #storeStream(): Promise<void> {
    if (this.#own.length >= MAX_OWN) return await this.#delete()
    const { name, tenant, random } = this.#options
    const plain = `${tenant} ${name} stream ${(this.#counter += 1)}`
    const key = random() < 0.1 ? sizedKey(LARGE_BYTES, plain) : plain
    const { contentType } = soakContent(key)
    const reference = await this.#home.scope(...this.#path).storeStream(key, soakChunks(key), contentType)
    this.#own.push({ scope: this.#path, reference, key })
  }

  /** Store an entry that every client of the session, in every process, also stores. */
  async #storeShared(): Promise<void> {
    const { tenant, session, random, entries } = this.#options
    const key = `${tenant} ${session} shared ${Math.floor(random() * SHARED_KEYS)}`
    const { content, contentType } = soakContent(key)
    const reference = await this.#anyInstance()
      .scope(...this.#path)
      .store(key, content, contentType)
    entries.add(tenant, { scope: this.#path, reference, key })
  }

  async #retrieve(entry: LoadedEntry | undefined): Promise<void> {
    if (entry === undefined) return
    const found = await this.#scopeOf(entry).retrieve(entry.reference)
    if (!isSoakContent(entry.key, found)) throw new Error(`other bytes: ${describe(entry)}`)
  }

  async #retrieveRange(entry: LoadedEntry | undefined): Promise<void> {
    if (entry === undefined) return
    const { content } = soakContent(entry.key)
    const [offset, length] = this.#anyRange(content.length)
    const found = await this.#scopeOf(entry).retrieveRange(entry.reference, { offset, length })
    if (found.size !== content.length || Buffer.compare(found.content, content.subarray(offset, offset + length)) !== 0)
      throw new Error(`wrong bytes at offset ${offset}, length ${length}: ${describe(entry)}`)
  }

  async #open(entry: LoadedEntry | undefined): Promise<void> {
    if (entry === undefined) return
    const { content } = soakContent(entry.key)
    const opened = await this.#scopeOf(entry).open(entry.reference)
    for (let read = 0; read < 3; read += 1) {
      const [offset, length] = this.#anyRange(content.length)
      const found = await opened.read(offset, length)
      if (Buffer.compare(found, content.subarray(offset, offset + length)) !== 0)
        throw new Error(`wrong bytes of the opened entry at offset ${offset}, length ${length}: ${describe(entry)}`)
    }
    await opened.close()
  }

  #anyRange(size: number): [number, number] {
    const offset = Math.floor(this.#options.random() * size)
    return [offset, 1 + Math.floor(this.#options.random() * size)]
  }

  async #stat(entry: LoadedEntry | undefined): Promise<void> {
    if (entry === undefined) return
    const { key, size } = await this.#scopeOf(entry).stat(entry.reference)
    if (key !== entry.key || size !== soakContent(key).content.length)
      throw new Error(`other entry: ${describe(entry)}`)
  }

  /** Check that a reference of another tenant or session does not resolve. */
  async #probe(): Promise<void> {
    const { entries, tenant, random } = this.#options
    const entry = entries.elsewhere(tenant, this.#path, random)
    if (entry === undefined) return
    const scope = this.#anyInstance().scope(...this.#path)
    const way = random()
    if (way < 0.4) await expectNotFound(scope.retrieve(entry.reference), entry)
    else if (way < 0.6) await expectNotFound(scope.retrieveRange(entry.reference, { offset: 0, length: 1 }), entry)
    else if (way < 0.8) await expectNotFound(scope.open(entry.reference), entry)
    else if (way < 0.9) await expectNotFound(scope.stat(entry.reference), entry)
    // The deletion has no effect, because the reference is not in this scope. The owner finds the entry afterwards.
    else await scope.delete(entry.reference)
  }

  async #delete(): Promise<void> {
    const entry = this.#own.shift()
    if (entry === undefined) return
    const scope = this.#home.scope(...entry.scope)
    await scope.delete(entry.reference)
    await expectNotFound(scope.retrieve(entry.reference), entry)
  }

  async #list(): Promise<void> {
    const { tenant } = this.#options
    const listed = new Set<string>()
    for await (const { key, reference } of this.#anyInstance().scope(tenant).list()) {
      if (!key.replace(/^\d+ bytes /, '').startsWith(`${tenant} `)) throw new Error(`foreign entry in a list: ${key}`)
      listed.add(reference)
    }
    const missing = this.#own.filter(({ reference }) => !listed.has(reference))
    if (missing.length > 0) throw new Error(`leaves out: ${missing.map(describe).join(', ')}`)
  }
}

const describe = ({ scope, reference, key }: LoadedEntry): string => `${scope.join('/')} ${reference} (${key})`

async function expectNotFound(operation: Promise<unknown>, entry: LoadedEntry): Promise<void> {
  try {
    await operation
  } catch (error) {
    if (StorageError.isInstance(error) && error.code === 'not-found') return
    throw error
  }
  throw new Error(`is readable, but must not be: ${describe(entry)}`)
}
