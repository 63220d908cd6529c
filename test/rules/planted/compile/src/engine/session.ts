export interface Session {
  readonly id: string;
}
