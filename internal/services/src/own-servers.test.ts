import { describe, expect, test } from 'vitest'
import { ownPgBouncer, ownPostgres, ownRedis, ownRedisCluster, ownS3, variablesOf } from './own-servers.ts'

describe('servers of a developer', () => {
  test('are the servers that the environment names, or none', () => {
    expect([ownRedis({}), ownRedisCluster({}), ownS3({})]).toEqual([undefined, undefined, undefined])
    expect(ownRedis({ SPILLWAY_TEST_REDIS_URL: 'redis://h:1' })?.url).toBe('redis://h:1')
    const cluster = ownRedisCluster({ SPILLWAY_TEST_REDIS_CLUSTER: 'h:1, [::1]:2' })
    expect(cluster?.nodes).toEqual([
      { host: 'h', port: 1 },
      { host: '[::1]', port: 2 },
    ])
    expect(cluster?.url).toBe('redis+cluster://h:1,[::1]:2')
  })

  test('are printed as environment variables', () => {
    const variables = {
      SPILLWAY_TEST_S3_ENDPOINT: 'http://h:1',
      SPILLWAY_TEST_S3_ACCESS_KEY_ID: 'id',
      SPILLWAY_TEST_S3_SECRET_ACCESS_KEY: 'secret',
      SPILLWAY_TEST_S3_REGION: 'eu-west-1',
    }
    expect(variablesOf(ownS3(variables)!)).toEqual(variables)
    const cluster = { SPILLWAY_TEST_REDIS_CLUSTER: 'h:1,h:2' }
    expect(variablesOf(ownRedisCluster(cluster)!)).toEqual(cluster)
    expect(variablesOf({ available: true, url: 'redis://h:1' })).toEqual({ SPILLWAY_TEST_REDIS_URL: 'redis://h:1' })
    const postgres = { SPILLWAY_TEST_POSTGRES_URL: 'postgres://h:1/db' }
    expect(variablesOf(ownPostgres(postgres)!)).toEqual(postgres)
    const pgbouncer = { SPILLWAY_TEST_PGBOUNCER_URL: 'postgres://h:2/db' }
    expect(variablesOf(ownPgBouncer(pgbouncer)!)).toEqual(pgbouncer)
  })

  test('are refused if a variable is missing', () => {
    expect(() => ownRedisCluster({ SPILLWAY_TEST_REDIS_CLUSTER: 'h' })).toThrow(TypeError)
    expect(() => ownS3({ SPILLWAY_TEST_S3_ENDPOINT: 'http://h:1' })).toThrow('SPILLWAY_TEST_S3_ACCESS_KEY_ID')
  })
})
