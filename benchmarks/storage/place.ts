import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DATA } from '../speed/lib.mjs'

/** Backends, by their names in tables. */
export const KINDS = ['memory', 'file', 'SQLite', 'Redis', 'PostgreSQL', 'S3'] as const

export type Kind = (typeof KINDS)[number]

/** Address and credentials of an S3 server. */
export interface S3Address {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly bucket: string
}

/** The available servers. */
export interface Servers {
  readonly redis?: string | undefined
  readonly postgres?: string | undefined
  readonly s3?: S3Address | undefined
}

/** The place in which one implementation stores its content. No other implementation uses it. */
export interface Place extends Servers {
  readonly kind: Kind
  /** An empty directory. */
  readonly directory: string
  /** Prefix of the keys on a server, or the name of the schema. */
  readonly prefix: string
}

let places = 0

/** Create a place. {@link removePlace} removes it. */
export function makePlace(kind: Kind, servers: Servers): Place {
  const directory = mkdtempSync(join(DATA, 'storage-'))
  places += 1
  return { kind, directory, prefix: `bench-${process.pid}-${places}`, ...servers }
}

/** Remove files of an implementation. Content on a server is removed by the implementation itself. */
export const removePlace = ({ directory }: Place): void => rmSync(directory, { recursive: true, force: true })
