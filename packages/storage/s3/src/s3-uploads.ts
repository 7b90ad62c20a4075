import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { isConflict, nextOf, statusOf, type PutOptions } from './s3-bucket.ts'
import type { S3Connection } from './s3-connection.ts'

/** An upload in parts that has begun and neither ended nor been aborted. */
export interface UnfinishedUpload {
  readonly key: string
  readonly uploadId: string
  readonly startedAt: number
}

/** A part that S3 has. */
export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string
}

/** The unfinished uploads of a bucket: invisible until they are completed. */
export class S3Uploads {
  readonly #connection: S3Connection

  constructor(connection: S3Connection) {
    this.#connection = connection
  }

  get #bucket(): string {
    return this.#connection.bucket
  }

  async start(key: string, { contentType, metadata }: PutOptions): Promise<UnfinishedUpload> {
    const command = new CreateMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: key,
      ContentType: contentType,
      ...(metadata === undefined ? {} : { Metadata: { ...metadata } }),
    })
    const { UploadId = '' } = await this.#connection.use(async (client) => client.send(command))
    return { key, uploadId: UploadId, startedAt: 0 }
  }

  async putPart({ key, uploadId }: UnfinishedUpload, number: number, content: Uint8Array): Promise<UploadedPart> {
    const where = { Bucket: this.#bucket, Key: key, UploadId: uploadId, PartNumber: number }
    const command = new UploadPartCommand({ ...where, Body: content })
    const { ETag = '' } = await this.#connection.use(async (client) => client.send(command))
    return { PartNumber: number, ETag }
  }

  /** Make the object of the parts; return `false` where `ifAbsent` was asked for and there is one, which stays. */
  async complete(upload: UnfinishedUpload, parts: readonly UploadedPart[], ifAbsent: boolean): Promise<boolean> {
    const Parts = parts.toSorted((one, other) => one.PartNumber - other.PartNumber)
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: upload.key,
      UploadId: upload.uploadId,
      MultipartUpload: { Parts },
      ...(ifAbsent ? { IfNoneMatch: '*' } : {}),
    })
    return this.#connection.use(async (client) =>
      client.send(command).then(
        () => true,
        (error: unknown) => {
          if (ifAbsent && isConflict(error)) return false
          throw error
        },
      ),
    )
  }

  /** Throw the parts away; an upload that has ended is left alone. */
  async abort({ key, uploadId }: UnfinishedUpload): Promise<void> {
    const command = new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key: key, UploadId: uploadId })
    await this.#connection.use(async (client) => client.send(command).catch(ignoreMissing))
  }

  /** List the uploads to objects whose names start with `prefix`. */
  async *list(prefix: string): AsyncGenerator<UnfinishedUpload> {
    let after: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } | undefined = {}
    while (after !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket: this.#bucket,
        Prefix: prefix,
        ...after,
      })
      const page = await this.#connection.use(async (client) => client.send(command))
      for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
        if (Key !== undefined && UploadId !== undefined)
          yield { key: Key, uploadId: UploadId, startedAt: Initiated?.getTime() ?? 0 }
      const { NextUploadIdMarker } = page
      const KeyMarker = nextOf(page.IsTruncated, page.NextKeyMarker)
      after =
        KeyMarker === undefined
          ? undefined
          : { KeyMarker, ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }) }
    }
  }

  /** Bytes of an upload so far, and when the latest part came; `undefined` where the upload has ended. */
  async progress({ key, uploadId }: UnfinishedUpload): Promise<{ bytes: number; latestAt: number } | undefined> {
    let bytes = 0
    let latestAt = 0
    let marker: string | undefined
    do {
      const PartNumberMarker = marker
      const command: ListPartsCommand = new ListPartsCommand({
        Bucket: this.#bucket,
        Key: key,
        UploadId: uploadId,
        ...(PartNumberMarker === undefined ? {} : { PartNumberMarker }),
      })
      const page = await this.#connection.use(async (client) => client.send(command).catch(ignoreMissing))
      if (page === undefined) return undefined
      for (const { Size = 0, LastModified } of page.Parts ?? []) {
        bytes += Size
        latestAt = Math.max(latestAt, LastModified?.getTime() ?? 0)
      }
      marker = nextOf(page.IsTruncated, page.NextPartNumberMarker)
    } while (marker !== undefined)
    return { bytes, latestAt }
  }
}

/** What S3 says of an upload that has ended, and Ceph where its parts are asked for. */
const MISSING: readonly string[] = ['NoSuchUpload', 'NoSuchKey']

function ignoreMissing(error: unknown): undefined {
  if (statusOf(error) === 404 && MISSING.includes((error as Error).name)) return undefined
  throw error
}
