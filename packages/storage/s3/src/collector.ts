import type { CollectReport } from '@spillway/core/driver'
import type { EntryReader } from './entry-reader.ts'
import type { ObjectNames } from './object-names.ts'
import type { S3Bucket } from './s3-bucket.ts'
import type { S3Uploads } from './s3-uploads.ts'

/** What nobody has added to for an hour belongs to a writer that was killed: living ones add in shorter intervals. */
const LEFTOVER_AGE_MS = 3_600_000

/** Remove what killed writers have left: unfinished uploads, and siblings whose entry was never written or is gone. */
export class Collector {
  readonly #bucket: S3Bucket
  readonly #uploads: S3Uploads
  readonly #names: ObjectNames
  readonly #reader: EntryReader

  constructor(bucket: S3Bucket, uploads: S3Uploads, names: ObjectNames, reader: EntryReader) {
    this.#bucket = bucket
    this.#uploads = uploads
    this.#names = names
    this.#reader = reader
  }

  async collect(prefix: string, now: number): Promise<CollectReport> {
    const reports = [await this.#collectUploads(prefix, now), await this.collectSiblings(prefix, now)]
    return {
      leftovers: reports.reduce((sum, { leftovers }) => sum + leftovers, 0),
      bytes: reports.reduce((sum, { bytes }) => sum + bytes, 0),
    }
  }

  async #collectUploads(prefix: string, now: number): Promise<CollectReport> {
    let leftovers = 0
    let bytes = 0
    for await (const upload of this.#uploads.list(this.#names.entries(prefix))) {
      if (this.#names.idOf(upload.key) === undefined || now - upload.startedAt < LEFTOVER_AGE_MS) continue
      const progress = await this.#uploads.progress(upload)
      if (progress === undefined || now - progress.latestAt < LEFTOVER_AGE_MS) continue
      await this.#uploads.abort(upload)
      leftovers += 1
      bytes += progress.bytes
    }
    return { leftovers, bytes }
  }

  /** Remove siblings that belong to no entry, not those of living writers, whose entry is still to come. */
  async collectSiblings(prefix: string, now: number): Promise<CollectReport> {
    let leftovers = 0
    let bytes = 0
    for await (const page of this.#bucket.list(this.#names.siblings(prefix)))
      for (const { key, size, modifiedAt } of page) {
        const sibling = this.#names.siblingOf(key)
        if (sibling === undefined || now - modifiedAt < LEFTOVER_AGE_MS) continue
        if ((await this.#reader.glance(sibling.id))?.generation === sibling.generation) continue
        await this.#bucket.delete(key)
        leftovers += 1
        bytes += size
      }
    return { leftovers, bytes }
  }
}
