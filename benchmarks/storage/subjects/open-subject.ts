import { known } from '../../report/known.ts'
import { openStorage } from '../open-storage.ts'
import type { Kind, Place } from '../place.ts'
import { fileFloor, mapFloor, redisFloor, s3Floor, sqliteFloor } from './floors.ts'
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

/** The name of ours in all tables. */
export const OURS = 'Spillway'

/** Who is measured for each backend: the raw client first, which is the floor, then ours. */
const SUBJECTS: Readonly<Record<Kind, Readonly<Record<string, Open>>>> = {
  memory: {
    'Map, copies': mapFloor,
    [OURS]: ours,
    Strands: strandsMemory,
    unstorage: () => unstorage('memory', {}),
    Keyv: () => keyv(undefined),
  },
  file: {
    'write and rename': fileFloor,
    [OURS]: ours,
    Strands: strandsFile,
    unstorage: ({ directory }) => unstorage('fs', { base: directory }),
  },
  SQLite: {
    'better-sqlite3, WAL': sqliteFloor,
    [OURS]: ours,
    unstorage: unstorageSqlite,
    Keyv: keyvSqlite,
  },
  Redis: {
    'ioredis, SET and GET': redisFloor,
    [OURS]: ours,
    unstorage: ({ redis, prefix }) => unstorage('redis', { url: redis, base: prefix }),
    Keyv: keyvRedis,
  },
  S3: {
    'PutObject and GetObject': s3Floor,
    [OURS]: ours,
    Strands: strandsS3,
  },
}

/** Name who can be measured here for a backend. */
export function subjectsOf(kind: Kind): readonly string[] {
  const isThere = (name: string, index: number): boolean =>
    index < 2 || (hasPeers() && (name !== 'Keyv' || kind !== 'SQLite' || hasKeyvSqlite()))
  return Object.keys(SUBJECTS[kind]).filter(isThere)
}

/** Open one of them. */
export async function openSubject(name: string, place: Place): Promise<Subject> {
  return await known(SUBJECTS[place.kind][name])(place)
}

async function ours(place: Place): Promise<Subject> {
  const storage = await openStorage(place)
  const scope = storage.scope('tenant', 'session')
  return {
    store: (key, bytes) => scope.store(key, bytes),
    retrieve: async (reference) => (await scope.retrieve(reference)).content,
    clear: async () => {
      await scope.clear()
    },
    close: () => storage.close(),
  }
}
