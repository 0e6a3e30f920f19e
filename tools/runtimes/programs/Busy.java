// SPDX-License-Identifier: Apache-2.0
//
// Does what servers do, with the standard library: many methods, callbacks and objects that die young.
//
//   Busy [SECONDS]    of CPU time; forever without it

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

public class Busy {
  static final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
  static final List<Order> orders = new ArrayList<>();
  static final String text = text();
  static final String formula = nested(7);
  static volatile long sink;

  static class Order {
    final int id;
    final String customer;
    final List<Integer> prices = new ArrayList<>();

    Order(int id) {
      this.id = id;
      customer = "customer " + id % 17;
      for (int i = 0; i < 8; i++) prices.add((id * 37 + i) % 101);
    }

    int total() {
      int sum = 0;
      for (int price : prices) sum += price * 3;
      return sum;
    }
  }

  static class Parser {
    final String source;
    int at;

    Parser(String source) {
      this.source = source;
    }

    boolean skip(char wanted) {
      boolean isIt = at < source.length() && source.charAt(at) == wanted;
      if (isIt) at++;
      return isIt;
    }

    long sum() {
      long value = product();
      for (;;) {
        if (skip('+')) value += product();
        else if (skip('-')) value -= product();
        else return value;
      }
    }

    long product() {
      long value = factor();
      while (skip('*')) value = value * factor() % 1000003;
      return value;
    }

    long factor() {
      if (!skip('(')) return source.charAt(at++) - '0';
      long value = sum();
      skip(')');
      return value;
    }
  }

  static String nested(int depth) {
    return depth == 0 ? "7*3+2" : "(" + nested(depth - 1) + ")*2-(" + nested(depth - 1) + ")";
  }

  static String text() {
    StringBuilder words = new StringBuilder();
    for (int number = 0; number < 400; number++) words.append("line " + number + " of order " + number % 7 + ", ");
    return words.toString();
  }

  static void parseFormula() {
    for (int i = 0; i < 20; i++) sink += new Parser(formula).sum();
  }

  static void formatOrders() {
    for (Order order : orders.subList(0, 40)) sink += String.format("%d %-20s %x", order.id, order.customer, order.total()).length();
  }

  static void sortOrders() {
    sink += orders.stream().sorted(Comparator.comparingInt(Order::total).thenComparing(order -> order.customer)).count()
        + orders.stream().filter(order -> order.total() > 90).collect(Collectors.toList()).size();
    List<Order> sorted = new ArrayList<>(orders);
    sorted.sort((one, other) -> Integer.compare(one.total(), other.total()));
  }

  static void groupOrders() {
    Map<String, List<Integer>> groups = new TreeMap<>();
    for (Order order : orders) groups.computeIfAbsent(order.customer, name -> new ArrayList<>()).addAll(order.prices);
    sink += groups.size();
  }

  static void matchText() {
    Matcher matcher = Pattern.compile("([a-z]+)\\s(\\d+)\\s(of|and|or)\\s[^,]+,").matcher(text);
    while (matcher.find()) sink += matcher.group(2).length();
  }

  static void multiply() {
    sink += BigInteger.valueOf(37).pow(400).mod(BigInteger.valueOf(1000003)).longValue();
  }

  static long countNodes(int depth) {
    return depth == 0 ? 1 : countNodes(depth - 1) + countNodes(depth > 1 ? depth - 2 : 0);
  }

  static void countTree() {
    sink += countNodes(20);
  }

  static void serve() {
    parseFormula();
    formatOrders();
    sortOrders();
    groupOrders();
    matchText();
    multiply();
    countTree();
  }

  public static void main(String[] arguments) {
    for (int id = 0; id < 300; id++) orders.add(new Order(id));
    double end = arguments.length > 0 ? Double.parseDouble(arguments[0]) * 1e9 : Double.POSITIVE_INFINITY;
    while (clock.getCurrentThreadCpuTime() < end) serve();
  }
}
