export { QueryEvaluator, TextExpressions, TooManySelected } from './evaluate-query.ts'
export { literalExpressions, parseJsonPath, type Segment } from './parse-json-path.ts'
export {
  countFromStart,
  countsFromEnd,
  divideUnion,
  firstOpenSegment,
  planWalk,
  ValueWalk,
  type WalkedValue,
  type WalkPlan,
} from './value-walk.ts'
