import { known } from '../../report/known.ts'
import { openStorage } from '../open-storage.ts'
import type { Kind, Place } from '../place.ts'
import { fileFloor, mapFloor, postgresFloor, redisFloor, s3Floor, sqliteFloor } from './floors.ts'
import {
  hasKeyvSqlite,
  hasPeers,
  keyv,
  keyvRedis,
  keyvSqlite,
  strandsFile,
  strandsMemory,
  strandsS3,
  unstorage,
  unstorageSqlite,
} from './peers.ts'
import type { Subject } from './subject.ts'

type Open = (place: Place) => Subject | Promise<Subject>

/** The name of ours in all tables. Like the offloader, it transfers bytes to the storage without a copy. */
export const OURS = 'Spillway'
/** Ours, storing bytes that the caller may change later, and so copying them. */
const OURS_COPIED = 'Spillway, copied'

/** The subjects of each backend: first the raw client, which is the floor, then ours, then others. */
const SUBJECTS: Readonly<Record<Kind, Readonly<Record<string, Open>>>> = {
  memory: {
    'Map, copies': mapFloor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
    Strands: strandsMemory,
    unstorage: () => unstorage('memory', {}),
    Keyv: () => keyv(undefined),
  },
  file: {
    'write and rename': fileFloor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
    Strands: strandsFile,
    unstorage: ({ directory }) => unstorage('fs', { base: directory }),
  },
  SQLite: {
    'better-sqlite3, WAL': sqliteFloor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
    unstorage: unstorageSqlite,
    Keyv: keyvSqlite,
  },
  Redis: {
    'ioredis, SET and GET': redisFloor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
    unstorage: ({ redis, prefix }) => unstorage('redis', { url: redis, base: prefix }),
    Keyv: keyvRedis,
  },
  PostgreSQL: {
    'pg, INSERT and SELECT': postgresFloor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
  },
  S3: {
    'PutObject and GetObject': s3Floor,
    [OURS]: (place) => ours(place, true),
    [OURS_COPIED]: (place) => ours(place, false),
    Strands: strandsS3,
  },
}

/** Number of subjects before all others: the raw client, and ours. */
const OWN_SUBJECTS = 3

/** Return the names of subjects for a backend. Other libraries are included only with `withPeers`. */
export function subjectsOf(kind: Kind, withPeers: boolean): readonly string[] {
  const isThere = (name: string, index: number): boolean =>
    index < OWN_SUBJECTS || (withPeers && hasPeers() && (name !== 'Keyv' || kind !== 'SQLite' || hasKeyvSqlite()))
  return Object.keys(SUBJECTS[kind]).filter(isThere)
}

/** Open a subject. */
export async function openSubject(name: string, place: Place): Promise<Subject> {
  return await known(SUBJECTS[place.kind][name])(place)
}

async function ours(place: Place, transfer: boolean): Promise<Subject> {
  const storage = await openStorage(place)
  const scope = storage.scope('tenant', 'session')
  return {
    store: (key, bytes) => scope.store(key, bytes, 'text/plain', { transfer }),
    retrieve: async (reference) => (await scope.retrieve(reference)).content,
    clear: async () => {
      await scope.clear()
    },
    close: () => storage.close(),
  }
}
