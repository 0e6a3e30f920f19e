// SPDX-License-Identifier: Apache-2.0
//
// Burns CPU time in shares that are known: see ../measure.py.

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;

public class Shares {
  static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
  static volatile long sink;

  static void burn(long milliseconds) {
    long end = clock.getCurrentThreadCpuTime() + milliseconds * 1000000;
    while (clock.getCurrentThreadCpuTime() < end) {
      long sum = 0;
      for (int i = 0; i < 20000; i++) sum = (sum + i * 7) % 1000003;
      sink += sum;
    }
  }  // burn ends

  static void ten() {
    burn(30);
  }

  static void twenty() {
    burn(600);
  }

  static void thirty() {
    burn(90);
  }

  static void forty() {
    burn(120);
  }

  static void descend(int depth) {
    if (depth == 0) {
      forty();
    } else {
      descend(depth - 1);
    }
  }

  static int byPrice(int a, int b) {
    thirty();
    return 0;
  }

  static void inThread() {
    twenty();
  }

  static void byLine() {
    burn(20);  // 20 % of byLine
    burn(30);  // 30 % of byLine
    burn(50);  // 50 % of byLine
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 10; i++) {
      List<Integer> two = Arrays.asList(1, 2);
      ten();
      two.sort((a, b) -> byPrice(a, b));
      descend(19);
      byLine();
    }
    Thread thread = new Thread(() -> inThread());
    thread.start();
    thread.join();
  }
}
