export { PathEvaluator, type SelectedSpan } from './evaluate-path.ts'
export { parseJsonPath, type JsonPath } from './parse-json-path.ts'
export { asksLength, MAX_TESTED_BYTES, PathTooLarge, PathWalk, type FoundValue, type Segment } from './path-walk.ts'
