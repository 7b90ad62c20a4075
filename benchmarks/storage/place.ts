import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DATA } from '../speed/lib.mjs'

/** Backends, by the name that tables show. */
export const KINDS = ['memory', 'file', 'SQLite', 'Redis', 'PostgreSQL', 'S3'] as const

export type Kind = (typeof KINDS)[number]

/** How an S3 server is reached. */
export interface S3Address {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly bucket: string
}

/** The servers that are there. */
export interface Servers {
  readonly redis?: string | undefined
  readonly postgres?: string | undefined
  readonly s3?: S3Address | undefined
}

/** Where one implementation keeps what it stores, and nobody else. */
export interface Place extends Servers {
  readonly kind: Kind
  /** A directory that exists and is empty. */
  readonly directory: string
  /** Prefix of its keys on a server, or the name of its schema. */
  readonly prefix: string
}

let places = 0

/** Make a place; it is removed by {@link removePlace}. */
export function makePlace(kind: Kind, servers: Servers): Place {
  const directory = mkdtempSync(join(DATA, 'storage-'))
  places += 1
  return { kind, directory, prefix: `bench-${process.pid}-${places}`, ...servers }
}

/** Remove what an implementation has stored in files; on a server it removes that itself. */
export const removePlace = ({ directory }: Place): void => rmSync(directory, { recursive: true, force: true })
