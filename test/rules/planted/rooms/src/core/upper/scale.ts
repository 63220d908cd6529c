export type Scale = number;
