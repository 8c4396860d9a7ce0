import { testWalks } from "../hpa-walks";

testWalks({ seconds: 30, leastSteps: 25 });
